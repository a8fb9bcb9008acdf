/** The surroundings of a command that is tried without a terminal, and what it wrote there. */
export function commandIo() {
  let out = '';
  let err = '';
  const io = {
    out(text: string) {
      out += text;
    },
    err(text: string) {
      err += text;
    },
    errIsTerminal: false,
    stop: new AbortController().signal,
  };
  return { io, written: () => ({ out, err }) };
}
