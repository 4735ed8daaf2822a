import { fileURLToPath } from 'node:url'
import type { Router } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { bookstore, jsonApiBookstore } from '../../examples/bookstore/bookstore.ts'
import { seed as seedBooks } from '../../examples/bookstore/seed.ts'
import { conference } from '../../examples/conference/conference.ts'
import { localIssuer } from '../../examples/conference/issuer.ts'
import { attendees, seed } from '../../examples/conference/seed.ts'

const cursorSecret = 'a secret of at least 32 bytes for tests'

/** Both examples, as the generated clients know them: plain REST first, then JSON:API. */
export function bookstores(): readonly [Router, Router] {
  const options = {
    store: memory(),
    blobs: memoryBlobs(),
    changes: true,
    idempotency: true,
    security: { cursorSecret },
  } as const
  return [bookstore(options), jsonApiBookstore(options)]
}

export function conferences(issuerKey = localIssuer().publicKey): readonly Router[] {
  const stores = { store: memory(), blobs: memoryBlobs() }
  return conference({ ...stores, outbox: '/dev/null', issuerKey, cursorSecret }) as Router[]
}

/** The bookstore with all of its books, over sockets. */
export async function startBookstore(): Promise<Server> {
  const routers = bookstores()
  for (const router of routers) await router.open()
  const data = fileURLToPath(new URL('../../examples/bookstore/data', import.meta.url))
  await seedBooks(routers[0], data)
  return serve([...routers], { port: 0 })
}

/** The conference, and who signs in there. */
export async function startConference(): Promise<{
  readonly server: Server
  token(id: string): Promise<string>
}> {
  const issuer = localIssuer()
  const routers = conferences(issuer.publicKey)
  await seed(routers[0]!)
  const people = attendees.map(({ id, role }) => ({ id, role }))
  return {
    server: await serve([...routers], { port: 0 }),
    token: (id) => issuer.sign(people.find((person) => person.id === id)!),
  }
}
