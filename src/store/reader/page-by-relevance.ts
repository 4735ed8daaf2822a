import type { ModelDescription } from '../../model/model-description.ts'
import type { Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { StoreCall } from '../store-call.ts'
import type { PageEntry, StoredPage } from '../store-reader.ts'
import { candidateCount } from './candidate-count.ts'
import type { ReadContext } from './read-context.ts'
import { relevanceClasses } from './relevance-classes.ts'

/** The relevance of so many items is computed to sort them: some milliseconds. */
const fewItems = 200

/** An entry of a page, with the page of the class that it is from. */
interface ClassEntry extends PageEntry {
  readonly page: StoredPage
  readonly entry: PageEntry
}

/**
 * Reads a page of a list sorted by relevance, where many items fit the search: one class after the
 * other in the order of ids, until the page is full. Undefined where all items are to be sorted.
 */
export async function pageByRelevance<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
  readPage: (plan: QueryPlan) => Promise<StoredPage>,
): Promise<StoredPage | undefined> {
  const query = queries.list(model, plan)
  const { lookup, looksUpMany } = query.strategy
  const found = looksUpMany && lookup?.kind === 'search' ? relevanceClasses(plan) : undefined
  if (!found) return undefined
  if ((await candidateCount(runner, query, fewItems, call)) <= fewItems) return undefined
  const { pageRange } = plan
  const offset = pageRange.kind === 'offset' ? pageRange.offset : 0
  const wanted = offset + pageRange.limit
  const entries = new Map<string, ClassEntry>()
  for (const { relevance, plan: ofClass } of found.classes) {
    const limit = wanted - entries.size
    const page = await readPage({ ...ofClass, pageRange: { ...ofClass.pageRange, limit } })
    for (const entry of page.entries) {
      const position: Position = [relevance, entry.id]
      // An item may have changed between the statements.
      if (!entries.has(entry.id)) entries.set(entry.id, { id: entry.id, position, page, entry })
    }
    if (entries.size >= wanted) break
  }
  if (!found.areAll && entries.size < wanted) return undefined
  return { entries: [...entries.values()].slice(offset), items: itemsOfClasses }
}

/** @param entries those of such a page */
async function* itemsOfClasses(
  entries: readonly PageEntry[],
): AsyncGenerator<readonly StoredItem[]> {
  const ofClasses = entries as readonly ClassEntry[]
  for (const page of new Set(ofClasses.map((entry) => entry.page)))
    yield* page.items(ofClasses.filter((entry) => entry.page === page).map(({ entry }) => entry))
}
