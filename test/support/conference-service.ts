import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { conference } from '../../examples/conference/conference.ts'
import { localIssuer } from '../../examples/conference/issuer.ts'
import { attendees, seed } from '../../examples/conference/seed.ts'

/** The conference as `npm run conference` starts it, in memory and without mails. */
export async function startConference(): Promise<Server> {
  const issuer = localIssuer()
  const routers = conference({
    store: memory(),
    blobs: memoryBlobs(),
    outbox: '/dev/null',
    issuerKey: issuer.publicKey,
    cursorSecret: 'a secret of at least 32 bytes for tests',
  })
  await seed(routers[0]!)
  return serve([...routers, issuer.tokens(attendees)], { port: 0 })
}
