import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { ownBytes } from '../../http/owned-bytes.ts'
import type { OwnedRelation } from '../../model/model-description.ts'
import { conjunctsOf } from '../../query/conditions.ts'
import type { PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import { idOfFirstLine, idOfLastLine, withoutLastLine } from '../../stored-item/raw-lines.ts'
import { ChunkSize, maxChunkBytes, TooManyBytes } from '../reader/chunk-size.ts'
import type { PageStatements } from '../reader/read-context.ts'
import type { DocumentList } from '../sql/document-list.ts'
import { isRange } from '../sql/index-scan.ts'
import { scalarOfColumn } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { RawJsonReader } from '../store-reader.ts'
import type { AccessPath } from './access-path.ts'
import type { DocumentReadContext, DocumentRunner } from './document-read-context.ts'
import { idRangeSize, isWholeListById } from './list-by-id-range.ts'
import { maxCheapRows } from './size-class.ts'
import { toStoreError } from './sqlite-error.ts'

/**
 * Lets SQLite join the texts of many items into one value, because most of the cost of a list is
 * the transfer of its rows.
 */
export function rawJsonReader(
  { connection, queries }: DocumentReadContext,
  runner: DocumentRunner,
): RawJsonReader {
  /** Undefined where another process has deleted the item in the meantime. */
  const positionOf = (
    query: DocumentList<AccessPath>,
    { sort }: QueryPlan,
    id: string,
  ): Position | undefined => {
    if (sort.length === 0) return [id]
    const { sql, parameters } = query.sortKeys(id)
    const keys = connection.prepare(sql).get(parameters)
    return keys && [...keys.map(scalarOfColumn), id]
  }

  return {
    async page(model, plan, linked, format, call) {
      const { pageRange } = plan
      if (pageRange.kind === 'before' || pageRange.limit > maxCheapRows) return undefined
      try {
        const rangeAndOne = oneMore(pageRange)
        const query = queries.list(model, {
          condition: plan.condition,
          sort: plan.sort,
          pageRange: rangeAndOne,
        })
        // The reader of items may read such a list in parts.
        if (query.strategy.looksUpMany && plan.sort.some(isRelevance)) return undefined
        const statements: PageStatements = {
          read: (source) => query.rawLines(linked, format, source),
          countItems: ([row]) => row![1] as number,
        }
        const [[joined, count, ...linkages]] = (await runner.pageRows(
          query,
          rangeAndOne,
          statements,
          call,
          maxChunkBytes,
        )) as [[Uint8Array | null, number, ...(string | null)[]]]
        const hasMore = count > pageRange.limit
        const lines = hasMore ? withoutLastLine(bytesOf(joined)) : bytesOf(joined)
        const positions = edgeIds(lines, pageRange).map((id) => positionOf(query, plan, id))
        if (positions.includes(undefined)) return undefined
        const [lastPosition, firstPosition] = positions
        return {
          lines,
          firstPosition,
          lastPosition,
          hasMore,
          linkedIds: linkedIdsByRelation(linked, linkages, pageRange.limit),
        }
      } catch (error) {
        if (error instanceof TooManyBytes) return undefined
        throw toStoreError(error)
      }
    },

    list(model, plan, call) {
      const query = isWholeListById(plan) ? queries.list(model, plan) : undefined
      if (!query || isFoundByIndex(query, plan) || runner.readsFewRows(model, query))
        return undefined
      return rawList(runner, query, call)
    },
  }
}

/** Does an index have the items alone? A raw list reads all ids in the range of the condition. */
function isFoundByIndex({ strategy }: DocumentList<AccessPath>, { condition }: QueryPlan): boolean {
  if (strategy.name !== 'indexScan') return strategy.name === 'indexLookup'
  const operands = conjunctsOf(condition)
  return !operands.every((operand) => operand.kind === 'always' || isRange(operand, undefined))
}

async function* rawList(
  runner: DocumentRunner,
  query: DocumentList<AccessPath>,
  call: StoreCall | undefined,
): AsyncGenerator<Uint8Array> {
  const size = new ChunkSize(idRangeSize)
  try {
    for (let from: string | undefined; ; ) {
      let idCount = 0
      const rows = await size.next((count, maxBytes) => {
        const statement = query.idRange(from, count)
        idCount = count
        return runner.batchRows(query, statement, call, maxBytes)
      })
      const [[joined, lastId, readCount]] = rows as [[Uint8Array | null, string, number]]
      if (joined) yield ownBytes(joined)
      if (readCount < idCount) return
      from = lastId
      await yieldToEventLoop(call)
    }
  } catch (error) {
    throw toStoreError(error)
  }
}

/** Most pages have an offset; to name the members costs less than to spread them. */
function oneMore(pageRange: PageRange): PageRange {
  const limit = pageRange.limit + 1
  return pageRange.kind === 'offset'
    ? { kind: 'offset', offset: pageRange.offset, limit }
    : { ...pageRange, limit }
}

/** The id of the last item, and that of the first item where the page has a cursor. */
function edgeIds(lines: Buffer, { kind }: PageRange): readonly string[] {
  if (lines.length === 0) return []
  const last = idOfLastLine(lines)
  return kind === 'offset' ? [last] : [last, idOfFirstLine(lines)]
}

function bytesOf(joined: Uint8Array | null): Buffer {
  return joined ? Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength) : Buffer.alloc(0)
}

const noLinkedIds: ReadonlyMap<OwnedRelation, readonly string[]> = new Map()

/** The ids that the relations of the first `count` items hold, each once. */
function linkedIdsByRelation(
  relations: readonly OwnedRelation[],
  linkages: readonly (string | null)[],
  count: number,
): ReadonlyMap<OwnedRelation, readonly string[]> {
  if (relations.length === 0) return noLinkedIds
  return new Map(
    relations.map((relation, index) => {
      const byItem: (string | null | string[])[] = JSON.parse(linkages[index] ?? '[]')
      const ids = new Set<string>()
      for (const linkage of byItem.slice(0, count)) {
        if (typeof linkage === 'string') ids.add(linkage)
        else for (const id of linkage ?? []) ids.add(id)
      }
      return [relation, [...ids]]
    }),
  )
}
