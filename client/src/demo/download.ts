/** Hands bytes over to the browser's downloads. */
export function download(bytes: Uint8Array, name: string): void {
  // Blob wants memory that is not shared, which a recording's is not.
  const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
