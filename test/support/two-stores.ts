import {
  type Authenticator,
  createRouter,
  field,
  file,
  hash,
  model,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { RouterByCaller, RouterByCallerOptions } from 'resourcery/types'
import { z } from 'zod'
import { client } from './client.ts'

export class Shelf extends model('shelf', {
  name: z.string(),
  notes: toMany('note', { inverse: 'shelf' }),
}) {}

export class Note extends model('note', {
  title: z.string().min(1),
  rank: z.int().default(0),
  code: field(z.string().optional(), { unique: true }),
  shelf: toOne('shelf', { optional: true }),
  scan: file(),
  hash: hash(),
}) {}

export const Person = z.object({ id: z.string(), group: z.string().optional() })
export type Person = z.output<typeof Person>

/** Callers are `<id>@<group>` in the header `X-User`; `!` is a wrong credential. */
export function gateway(): Authenticator<Person> & { count: number } {
  return {
    count: 0,
    name: 'gateway',
    scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
    authenticate({ headers }) {
      const user = headers['x-user']
      if (user === undefined) return undefined
      this.count++
      if (user === '!') return { refused: 'Nobody is called !.' }
      const [id = '', group] = user.split('@')
      return { caller: { id, ...(group !== undefined && { group }) } }
    },
  }
}

export const asUser = (user: string | undefined): Readonly<Record<string, string>> =>
  user === undefined ? {} : { 'x-user': user }

type TwoStores = RouterByCaller<Person, 'north' | 'south'>

interface TwoStoresOptions
  extends Partial<Omit<RouterByCallerOptions<typeof Person, 'north' | 'south'>, 'stores'>> {
  readonly authenticator?: Authenticator<Person>
}

/** A service whose callers of the groups `north` and `south` have a store each, with blobs. */
export function twoStores(
  stores: { readonly north: Store; readonly south: Store },
  { authenticator = gateway(), ...options }: TwoStoresOptions = {},
) {
  const errors: unknown[] = []
  const router: TwoStores = createRouter({
    policy: rest(),
    stores: {
      north: { store: stores.north, blobs: memoryBlobs() },
      south: { store: stores.south, blobs: memoryBlobs() },
    },
    store: (caller) => caller?.group as 'north' | 'south' | undefined,
    security: { authentication: [authenticator], callerSchema: Person },
    onError: (error) => errors.push(error),
    ...options,
  })
  router.prepare(Shelf)
  router.prepare(Note)
  return { router, api: client(router), errors }
}
