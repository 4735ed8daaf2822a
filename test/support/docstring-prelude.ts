// What examples in docstrings may use without declaring it: the models of a small bookstore, and
// what a host, a store or a policy has at hand. Examples are compiled; they do not run.
import {
  model,
  type Policy,
  type PreparedRouter,
  type Router,
  type RouterLimits,
  toMany,
  toOne,
} from 'resourcery'
import type { Call, Client, Manifest } from 'resourcery/client'
import type {
  ActionFormat,
  ModelFormat,
  ModelView,
  ModelViews,
  OutgoingItem,
  RelationFormat,
  ResponseShape,
  Serializer,
} from 'resourcery/policy'
import type { GroupPlan, ItemSource, RelationField, TableEntry } from 'resourcery/store'
import type { ModelDescription, RouterByCaller, StoredItem } from 'resourcery/types'
import { z } from 'zod'

export { z }

export class Author extends model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
}) {}
export class Genre extends model('genre', { name: z.string() }) {}
export class Book extends model('book', {
  title: z.string(),
  price: z.number(),
  stock: z.int(),
  inStock: z.boolean(),
  tags: z.array(z.string()),
  author: toOne<Author>('author'),
  genres: toMany<Genre>('genre'),
}) {}

export declare const router: Router
export declare const jsonApiRouter: Router
export declare const byCaller: RouterByCaller<{ id: string }, 'north' | 'south'>
export declare const prepared: PreparedRouter<InstanceType<typeof Book>>
export declare const isEditor: boolean
export declare const bytes: Uint8Array
export declare const stream: AsyncIterable<Uint8Array>
export declare const signal: AbortSignal

// What a client has.
interface ShopModel {
  calls: Call
  item: { id: string; title: string; price: number; author: string }
  create: { title: string; price: number; author: string }
  update: { price?: number }
  replace: { title: string; price: number; author: string }
  filter: { price?: { lt?: number }; inStock?: boolean }
  sort: 'title'
  include: 'author'
  relations: { author: { one: 'authors' } }
  actions: Record<never, never>
  files: never
  downloads: never
  search: never
  aggregates: Record<never, never>
  facets: Record<never, never>
  groups: Record<never, never>
}
type Shop = { readonly books: ShopModel; readonly authors: ShopModel }
export declare const api: Client<Shop>
export declare const shopManifest: Manifest<Shop>

// What a store has.
export declare const book: ModelDescription
export declare const item: StoredItem
export declare const entries: readonly TableEntry[]
export declare const source: ItemSource
export declare const groupPlan: GroupPlan

// What a policy has.
export declare const view: ModelView
export declare const views: ModelViews
export declare const limits: RouterLimits
export declare const relation: RelationField
export declare const serializer: Serializer
export declare const modelFormat: ModelFormat
export declare const relationFormat: RelationFormat
export declare const actionFormat: ActionFormat
export declare const itemResponse: ResponseShape
export declare const emptyResponse: ResponseShape
export declare const outgoing: OutgoingItem
export declare const bareArrays: () => Policy
