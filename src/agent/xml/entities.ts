/** Makes text harmless inside our tags: it can neither close one nor open another. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The text of an element: entities decoded, CDATA sections as they are. */
export function decodeXml(raw: string): string {
  let text = ''
  let at = 0
  for (;;) {
    const start = raw.indexOf(cdataStart, at)
    const end = start === -1 ? -1 : raw.indexOf(cdataEnd, start)
    if (end === -1) return text + decodeEntities(raw.slice(at))
    text += decodeEntities(raw.slice(at, start)) + raw.slice(start + cdataStart.length, end)
    at = end + cdataEnd.length
  }
}

export const cdataStart = '<![CDATA['
export const cdataEnd = ']]>'

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return named[name.toLowerCase()] ?? whole
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
