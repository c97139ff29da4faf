/* oxlint-disable no-control-regex -- control characters are what is looked for here */

/**
 * Text of unknown origin, made safe to show: no escape sequences, no control characters besides line feed and tab, nothing
 * that reorders or hides what a person reads.
 */
export function plainText(text: string): string {
  if (isPlainAscii.test(text)) return text
  return text
    .replace(controlStrings, '')
    .replace(escapeSequences, '')
    .replace(lineBreaks, '\n')
    .replace(controlCharacters, '')
    .replace(invisibleCharacters, '')
}

/** The same on one line: for names, commands and other text that must not start a line of its own. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, ' ').trim()
}

/**
 * The same on one line, with nothing taken away: what cannot be seen is written out. For commands that a person is asked to
 * approve, where a hidden character would make two different commands look alike.
 */
export function revealedText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

// Most text is, and the patterns below take milliseconds to be made ready for the first text that is not.
const isPlainAscii = /^[\n\t -~]*$/

// OSC, DCS, SOS, PM and APC carry a payload (a title, a link, the clipboard). One that is never ended stops at its line's end.
const controlStrings =
  /(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C\n]*(?:\u0007|\u001B\\|\u009C)?/g
const escapeSequences = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g
const lineBreaks = /\r\n|[\u2028\u2029]/g
const controlCharacters = /(?![\n\t])\p{Cc}/gu
// Bidi marks and overrides, zero-width characters, the soft hyphen, and the tag characters that can hide a whole sentence.
const invisibleCharacters = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu
