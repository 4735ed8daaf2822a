// Another program that locks a file of SQLite until it is told to end.
//   node reliability/disks/locker.mjs <file> exclusive|immediate

import { DatabaseSync } from '@photostructure/sqlite'

const [file = '', kind] = process.argv.slice(2)
const database = new DatabaseSync(file)
if (kind === 'exclusive') database.exec('pragma locking_mode = exclusive')
database.exec(`begin ${kind}`)
console.log('locked')
process.on('disconnect', () => process.exit())
setInterval(() => {}, 60_000)
