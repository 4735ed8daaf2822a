import { fileBlobs } from 'resourcery/files'
import { closeOnSignals, serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { conference } from './conference.ts'
import { Person } from './models.ts'

const routers = conference({
  store: sqlite('.data/conference.db'),
  blobs: fileBlobs('.data/conference-blobs'),
  outbox: '.data/outbox.txt',
})
const people = ['olga', 'ada', 'bob'].map((id) => {
  const role = id === 'olga' ? ('organizer' as const) : ('attendee' as const)
  return { id, name: id, email: `${id}@example.org`, token: `token-of-${id}`, role }
})
await routers[0]!.load(Person, people)
const server = await serve(routers, { port: Number(process.env['PORT'] ?? 3000) })
closeOnSignals(server)
console.log(`The conference is open at ${server.address}`)
