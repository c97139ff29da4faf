/** Other words that people use for the same thing. */
export function synonymsOf(term: string): readonly string[] {
  return synonyms.get(term) ?? []
}

/** Each line is a group: any of its words finds the others. In the singular, as the index has them. */
const groups = `
folder directory
delete remove erase drop destroy trash
create make add new
find search lookup locate
get fetch retrieve read show view
update edit modify change patch
rename move
picture photo image screenshot
start launch boot run open
stop kill terminate end quit close
send post
message chat
document doc page note
spreadsheet sheet table
row record
column field
website site webpage page url
visit navigate goto open
ticket issue bug
task todo
member user people person
mail email
execute run
log output
schema structure
copy duplicate clone
undo revert reset
compare diff difference
graph chart plot diagram
slow performance speed
route direction
location position coordinate place
phone mobile device
app application
tap click press
type enter input fill
warning alert
upload attach
video clip recording
subtitle caption transcript
merge join combine
several multiple many
finish complete done
author wrote written
mine my
database db
repository repo
configuration config setting
login auth authenticate
kubernetes k8s
pr pull
pr request
mr merge
mr request
`

const synonyms: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, readonly string[]>()
  for (const group of groups
    .trim()
    .split('\n')
    .map((line) => line.split(' '))) {
    for (const word of group) found.set(word, [...(found.get(word) ?? []), ...group.filter((other) => other !== word)])
  }
  return found
})()
