// node rest.mjs URL [BODY]: asks a hub that speaks HTTP and has no command line of its own; a body is posted.
const [url, body] = process.argv.slice(2)
const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
const response = await fetch(url, body === undefined ? {} : post)
process.stdout.write(`${await response.text()}\n`)
