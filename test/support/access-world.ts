import {
  type Authenticator,
  action,
  createRouter,
  field,
  file,
  hash,
  model,
  type Policy,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { z } from 'zod'

export const Caller = z.object({ id: z.string(), roles: z.array(z.string()).default([]) })
export type Caller = z.infer<typeof Caller>

/** The token is `id` or `id:role,role`. */
export const token: Authenticator<z.input<typeof Caller>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) => {
    const text = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (text === undefined) return undefined
    if (text === 'wrong') return { refused: 'Unknown token.' }
    const [id = '', roles] = text.split(':')
    return { caller: { id, roles: roles?.split(',') ?? [] } }
  },
}

/** The headers of a caller; of an anonymous one without a token. */
export const as = (text?: string): Record<string, string> =>
  text === undefined ? {} : { authorization: `Bearer ${text}` }

export class Speaker extends model('speaker', {
  name: z.string(),
  email: z.string().optional(),
  agency: z.string().optional(),
  photo: file({ types: ['text/plain'] }),
  talks: toMany('talk', { inverse: 'speaker' }),
  hash: hash(),
}) {}

export class Talk extends model('talk', {
  title: z.string(),
  status: z.enum(['draft', 'accepted']).default('draft'),
  score: z.int().optional(),
  notes: z.string().optional(),
  slot: field(z.string().optional(), { unique: true }),
  speaker: toOne('speaker', { optional: true, onDelete: 'set-null' }),
  reviewers: toMany('speaker'),
  hash: hash(),
}) {
  static {
    action(this, 'accept')
  }

  accept() {
    this.status = 'accepted'
  }
}

/**
 * Drafts are visible to their speakers and to admins. The score is for admins, the notes are for
 * the speaker of the talk, and so are email and photo of a speaker.
 */
export function accessRouter(
  store: Store,
  policy: Policy = rest(),
  options: Partial<RouterOptions> = {},
): Router<Caller> {
  const router = createRouter({
    ...options,
    policy,
    store,
    blobs: memoryBlobs(),
    docsPage: true,
    security: {
      ...options.security,
      authentication: [token],
      callerSchema: Caller,
      defaultAccess: 'closed',
    },
  })
  router.prepare(Speaker).access(({ item, caller, anyone, nobody }) => ({
    read: anyone,
    update: item.id.equal(caller.id),
    fields: {
      agency: { read: caller.roles.contains('admin') },
      email: { read: item.id.equal(caller.id), write: nobody },
      photo: { read: item.id.equal(caller.id) },
    },
  }))
  router.prepare(Talk).access(({ item, caller, signedIn, nobody }) => ({
    read: item.status
      .equal('accepted')
      .or(item.speaker.equal(caller.id), caller.roles.contains('admin')),
    create: signedIn.and(item.status.equal('draft')),
    update: item.speaker.equal(caller.id),
    delete: caller.roles.contains('admin'),
    actions: { accept: caller.roles.contains('admin') },
    set: { speaker: caller.id },
    fields: {
      score: { read: caller.roles.contains('admin') },
      notes: { read: item.speaker.equal(caller.id) },
      status: { write: nobody },
    },
  }))
  return router
}

export async function loadAccessWorld(router: Router<Caller>): Promise<void> {
  await router.load(Speaker, [
    { id: 'ann', name: 'Ann', email: 'ann@example.org', agency: 'A1' },
    { id: 'bob', name: 'Bob', email: 'bob@example.org', agency: 'B1' },
    { id: 'cy', name: 'Cy' },
  ])
  const open = { status: 'accepted' } as const
  await router.load(Talk, [
    {
      id: 't1',
      title: 'One',
      ...open,
      score: 5,
      notes: 'a',
      slot: 's1',
      speaker: 'ann',
      reviewers: ['bob'],
    },
    { id: 't2', title: 'Two', score: 3, notes: 'b', slot: 's2', speaker: 'ann', reviewers: [] },
    { id: 't3', title: 'Three', ...open, score: 9, notes: 'c', speaker: 'bob', reviewers: ['ann'] },
    { id: 't4', title: 'Four', score: 1, speaker: null, reviewers: [] },
  ])
}
