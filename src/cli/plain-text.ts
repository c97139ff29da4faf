// The screen of the session needs it too.
export { plainLine, plainText, revealedText } from '../policy/plain-text.ts'
