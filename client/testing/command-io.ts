/** The surroundings of a command that is tried, without a terminal unless one is asked for, and what it wrote there. */
export function commandIo(errIsTerminal = false) {
  let out = '';
  let err = '';
  const io = {
    out(text: string) {
      out += text;
    },
    err(text: string) {
      err += text;
    },
    errIsTerminal,
    stop: () => new AbortController().signal,
  };
  return { io, written: () => ({ out, err }) };
}
