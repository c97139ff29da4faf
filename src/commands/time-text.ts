/** A time as the clock on the wall shows it: `2026-11-15 14:53`. */
export function timeText(atMs: number): string {
  const at = new Date(atMs)
  const day = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The same without the day, to the second: `14:53:07`. */
export function clockText(atMs: number): string {
  const at = new Date(atMs)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
