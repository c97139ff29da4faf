/* oxlint-disable no-control-regex -- control characters are what is looked for here */

/**
 * A drawn line with nothing in it but text and our colours. Text is made plain before it is drawn; this catches what drawing itself
 * may bring back, such as a character that Markdown writes as `&#27;`.
 */
export function harmlessLine(line: string): string {
  if (isPlain.test(line)) return line
  return line.replace(colorOrControl, (found) => (isColor.test(found) ? found : ''))
}

const isPlain = /^[ -~]*$/
const isColor = /^\u001B\[[0-9;]*m$/
const colorOrControl =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]?|\p{Cc}/gu
