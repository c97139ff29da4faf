/** A long text without its middle: at most about so many bytes, cut at line ends where there are any near. */
export function cutMiddle(text: string, mostBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= mostBytes) return text
  const buffer = Buffer.from(text)
  const head = wholeText(buffer.subarray(0, Math.floor(mostBytes * 0.7)))
  const tail = wholeText(buffer.subarray(bytes - Math.floor(mostBytes * 0.3)))
  const headEnd = head.lastIndexOf('\n') > head.length / 2 ? head.lastIndexOf('\n') + 1 : head.length
  const tailStart = tail.indexOf('\n') !== -1 && tail.indexOf('\n') < tail.length / 2 ? tail.indexOf('\n') + 1 : 0
  const kept = [head.slice(0, headEnd), tail.slice(tailStart)] as const
  const left = bytes - Buffer.byteLength(kept[0]) - Buffer.byteLength(kept[1])
  return `${kept[0]}\n[… ${left} bytes left out; ask for less, or for a part …]\n${kept[1]}`
}

/** Without the halves of characters that a cut leaves at the edges. */
function wholeText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll(/^\uFFFD+|\uFFFD+$/g, '')
}
