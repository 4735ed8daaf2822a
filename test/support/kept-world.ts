import {
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
import { Caller, token } from './access-world.ts'

export class Tag extends model('tag', { name: z.string() }) {}

export class Page extends model(
  'page',
  {
    title: z.string().min(2),
    slug: field(z.string().optional(), { unique: true }),
    status: z.enum(['draft', 'public']).default('public'),
    remark: z.string().optional(),
    secret: field(z.string().default('s'), { hidden: true }),
    owner: z.string().optional(),
    tags: toMany('tag'),
    lead: toOne('tag', { optional: true, onDelete: 'set-null' }),
    photo: file({ types: ['text/plain'] }),
    hash: hash(),
  },
  { history: true, trash: true },
) {}

/** A router with pages, which have a history and a trash. */
export function keptRouter(
  store: Store,
  { policy = rest(), ...options }: Partial<RouterOptions> & { readonly policy?: Policy } = {},
): Router {
  return createRouter({
    policy,
    store,
    blobs: memoryBlobs(),
    security: { authentication: [token], callerSchema: Caller },
    ...options,
  } as RouterOptions)
}
