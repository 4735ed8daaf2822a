import {
  createRouter,
  field,
  hash,
  model,
  type Policy,
  type Router,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { z } from 'zod'
import { Caller, token } from './access-world.ts'

/** A desk, of which some are closed to all but their own people. */
export class Desk extends model(
  'desk',
  {
    name: z.string(),
    isOpen: z.boolean().default(true),
    articles: toMany('article', { inverse: 'desk' }),
  },
  { ids: 'either' },
) {}

export class Article extends model(
  'article',
  {
    title: z.string(),
    words: z.int(),
    status: z.enum(['draft', 'ready']).default('draft'),
    owner: z.string(),
    publishAt: z.iso.datetime().optional(),
    notes: z.string().optional(),
    secret: field(z.string().optional(), { hidden: true }),
    desk: toOne('desk', { optional: true, onDelete: 'set-null' }),
    hash: hash(),
  },
  { ids: 'either' },
) {}

/** It is visible where its article is. */
export class Remark extends model(
  'remark',
  { text: z.string(), article: toOne('article', { onDelete: 'cascade' }) },
  { ids: 'either' },
) {}

export interface Newsroom {
  readonly router: Router<Caller>
  /** Moves the clock on. */
  tick(ms: number): void
  nowMs(): number
}

/** Rules about values, the caller, the time, single fields and related items. */
export function newsroom(store: Store, policy: Policy): Newsroom {
  let nowMs = Date.UTC(2026, 0, 1)
  const router = createRouter({
    policy,
    store,
    changes: true,
    now: () => new Date(nowMs),
    security: {
      authentication: [token],
      callerSchema: Caller,
      cursorSecret: 'a secret of at least 32 characters',
    },
  })
  router.prepare(Desk).access(({ item, caller }) => ({
    read: item.isOpen.equal(true).or(caller.roles.contains('editor')),
  }))
  router.prepare(Article).access(({ item, caller, now }) => ({
    read: item.owner
      .equal(caller.id)
      .or(
        item.status.equal('ready').and(item.publishAt.lessThanOrEqual(now)),
        caller.roles.contains('editor'),
      ),
    fields: { notes: { read: item.owner.equal(caller.id) } },
  }))
  router.prepare(Remark).access(({ item }) => ({
    read: item.article.status.equal('ready'),
  }))
  return {
    router,
    tick: (ms) => {
      nowMs += ms
    },
    nowMs: () => nowMs,
  }
}
