import { randomUUID } from 'node:crypto'
import { fileBlobs } from 'resourcery/files'
import { closeOnSignals, serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { conference } from './conference.ts'
import { localIssuer } from './issuer.ts'
import { live } from './live.ts'
import { attendees, seed } from './seed.ts'

const issuer = localIssuer()
const routers = conference({
  store: sqlite('.data/conference.db'),
  blobs: fileBlobs('.data/conference-blobs'),
  outbox: '.data/outbox.txt',
  issuerKey: issuer.publicKey,
  cursorSecret: process.env['CURSOR_SECRET'] ?? randomUUID(),
})
await seed(routers[0]!)
const services = [...routers, issuer.tokens(attendees), live('examples/conference/live.html')]
const server = await serve(services, { port: Number(process.env['PORT'] ?? 3000) })
closeOnSignals(server)
console.log(`The conference is open at ${server.address}/api/docs and ${server.address}/live`)
