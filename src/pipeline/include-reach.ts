import type { Context } from '../context/context.ts'
import type { InverseField, ManyRelation } from '../model/description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { both, relatesTo } from '../query/conditions.ts'
import { everything, type Position, type SlicePlan } from '../query/query-plan.ts'
import type { IncludedWindow } from '../rule/selection.ts'
import type { Further } from '../serializer/outgoing.ts'
import { compareText } from '../store/compare.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import { onBehalf } from '../store/on-behalf.ts'
import type { StoreAccess } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import type { Source } from './include-sources.ts'
import { narrowWindow } from './narrow-window.ts'
import type { Parts } from './parts.ts'
import { needsSeal } from './seals.ts'
import { windowQuery } from './window-query.ts'

/** What an owner relates to, of what was asked for, in the order asked for. */
interface Links {
  readonly ids: readonly string[]
  readonly further: Further | undefined
}

/** What a source leads to. */
export interface Reached {
  readonly batches: AsyncIterable<readonly StoredItem[]>
  /** By the owner, once the batches were read; empty where items hold it themselves. */
  links(): Iterable<readonly [string, Links]>
}

const batchSize = 500

/** Reads what a source leads to. */
export function reached(parts: Parts, context: Context, source: Source): Reached {
  const { relation, window, ids } = source
  const { target } = relation
  const store = onBehalf(parts.store, context)
  if (relation.kind === 'toOne' || !window) {
    const guard = parts.guards.condition(target, context)
    if (relation.kind === 'inverse') return inverseItems(store, relation, ids, { ...everything, condition: guard })
    return { batches: fetchByIds(store, target, [...ids].sort(compareText), guard), links: () => [] }
  }
  const plan = narrowWindow(parts, target, window, context)
  const isWhole = plan.window.limit === Number.POSITIVE_INFINITY && plan.window.skip === 0
  if (relation.kind === 'inverse' && isWhole) return inverseItems(store, relation, ids, plan)
  return windows(parts, context, { ...source, relation, window }, plan)
}

/** All items of the other side whose relation leads to these owners, in the order of the plan, in which those of each owner come too. */
function inverseItems(
  store: StoreAccess,
  relation: InverseField,
  owners: ReadonlySet<string>,
  plan: SlicePlan,
): Reached {
  const { target, of } = relation
  const ids = new Map(Array.from(owners, (owner): [string, string[]] => [owner, []]))
  return { batches: batches(), links: () => Array.from(ids, ([owner, ids]) => [owner, { ids, further: undefined }]) }

  async function* batches(): AsyncGenerator<readonly StoredItem[]> {
    const all = [...owners]
    for (let start = 0; start < all.length; start += batchSize) {
      const asked = new Set(all.slice(start, start + batchSize))
      const leadsHere = relatesTo(of.name, of.kind, [...asked])
      for await (const batch of store.list(target, { ...plan, condition: both(leadsHere, plan.condition) })) {
        for (const item of batch)
          for (const owner of linkedIds(linkageOf(item), of)) if (asked.has(owner)) ids.get(owner)!.push(item.id)
        yield batch
      }
    }
  }
}

/** What an owner relates to: of the items none is held, for each owner has a last one. */
interface OwnersPage {
  readonly ids: string[]
  /** The position of the last item, once that fills the page. */
  last: Position | undefined
}

interface WindowedSource extends Source {
  readonly relation: ManyRelation
  readonly window: IncludedWindow
}

/** One page of each owner, with a look at whether more follows. */
function windows(parts: Parts, context: Context, source: WindowedSource, plan: SlicePlan): Reached {
  const { model, relation, window, path } = source
  const { limit, skip } = plan.window
  const owners = [...source.ids]
  const places = new Map(owners.map((owner, index) => [owner, index]))
  const held = new Map(source.held)
  const pages = new Map(owners.map((owner): [string, OwnersPage] => [owner, { ids: [], last: undefined }]))
  const full = new Set<string>()
  const query = window.size === undefined ? undefined : windowQuery(context.request.query, path)
  return { batches: batches(), links: () => Array.from(pages, ([owner, page]) => [owner, linksOf(owner, page)]) }

  async function* batches(): AsyncGenerator<readonly StoredItem[]> {
    const asked: SlicePlan = { ...plan, window: { kind: 'slice', skip, limit: limit + 1 } }
    for await (const batch of onBehalf(parts.store, context).relatedPages(model, relation, owners, asked)) {
      const items: StoredItem[] = []
      // Stores answer owners in any order; in a document they come in the order in which they were met.
      const inOrder = [...batch].sort((one, other) => places.get(one.owner)! - places.get(other.owner)!)
      for (const related of inOrder) {
        const page = pages.get(related.owner)!
        if (page.ids.length === limit) full.add(related.owner)
        else {
          page.ids.push(related.item.id)
          if (query !== undefined && page.ids.length === limit) page.last = related.position
          items.push(related.item)
        }
      }
      yield items
    }
  }

  function linksOf(owner: string, { ids, last }: OwnersPage): Links {
    if (query !== undefined) {
      const after = full.has(owner) && last ? cursorOf(last) : undefined
      return { ids, further: { query, after } }
    }
    const isOrdered = relation.kind === 'inverse' || plan.sort.length > 0
    return { ids: isOrdered ? ids : inOrderOf(held.get(owner) ?? [], ids), further: undefined }
  }

  function cursorOf(position: Position): string {
    const isSealed = needsSeal(parts, parts.views.of(relation.target), plan.sort)
    return parts.cursors.write(plan.sort, position, isSealed)
  }
}

/** A relation that the item holds has an order of its own. */
function inOrderOf(held: readonly string[], ids: readonly string[]): readonly string[] {
  const wanted = new Set(ids)
  return held.filter((id) => wanted.has(id))
}
