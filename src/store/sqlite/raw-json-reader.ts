import { ownBytes } from '../../cache/owned-bytes.ts'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { OwnedRelation } from '../../model/model-description.ts'
import type { PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import { idOfFirstLine, idOfLastLine, withoutLastLine } from '../../stored-item/raw-lines.ts'
import { maxCheapRows } from '../sql/access-path.ts'
import type { Caller, RawJsonReader } from '../store.ts'
import { ChunkSize, maxChunkBytes } from './chunk-size.ts'
import { type Connection, TooManyBytes } from './connection.ts'
import { idRangeSize, isWholeListById } from './id-ranges.ts'
import type { ListQuery } from './list-query.ts'
import { type PageStatements, pageReader } from './page-reader.ts'
import type { Queries } from './queries.ts'
import { scalarOfColumn } from './rows.ts'
import { queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import { toStoreError } from './sqlite-error.ts'

/**
 * Lets SQLite join the texts of many items into one value: most of what a list costs is to hand
 * over its rows.
 */
export function rawJsonReader(
  connection: Connection,
  queries: Queries,
  elsewhere: ScanOffload,
): RawJsonReader {
  const windows = pageReader(connection, elsewhere)

  /** Undefined where the item is gone already: another process writes too. */
  const positionOf = (
    question: ListQuery,
    { sort }: QueryPlan,
    id: string,
  ): Position | undefined => {
    if (sort.length === 0) return [id]
    const { sql, parameters } = question.sortKeys(id)
    const keys = connection.prepare(sql).get(parameters)
    return keys && [...keys.map(scalarOfColumn), id]
  }

  return {
    async page(model, plan, linked, line, caller) {
      const { pageRange } = plan
      if (pageRange.kind === 'before' || pageRange.limit > maxCheapRows) return undefined
      try {
        const further = { ...pageRange, limit: pageRange.limit + 1 }
        const question = queries.list(model, { ...plan, pageRange: further })
        const statements: PageStatements = {
          full: () => question.rawLines(false, linked, line),
          trial: () => question.rawLines(true, linked, line),
          countItems: ([row]) => row![1] as number,
        }
        const [[joined, count, ...held]] = (await windows.rows(
          model,
          question,
          further,
          statements,
          caller,
          maxChunkBytes,
        )) as [[Uint8Array | null, number, ...(string | null)[]]]
        const more = count > pageRange.limit
        const lines = more ? withoutLastLine(bytesOf(joined)) : bytesOf(joined)
        const positions = edgeIds(lines, line, pageRange).map((id) =>
          positionOf(question, plan, id),
        )
        if (positions.includes(undefined)) return undefined
        const [last, first] = positions
        return {
          lines,
          firstPosition: first,
          lastPosition: last,
          hasMore: more,
          linkedIds: linkedIdsByRelation(linked, held, pageRange.limit),
        }
      } catch (error) {
        if (error instanceof TooManyBytes) return undefined
        throw toStoreError(error)
      }
    },

    list(model, plan, caller) {
      const question = isWholeListById(plan) ? queries.list(model, plan) : undefined
      if (!question || question.kind === 'gather') return undefined
      return rawList(connection, question, elsewhere, caller)
    },
  }
}

async function* rawList(
  connection: Connection,
  question: ListQuery,
  elsewhere: ScanOffload,
  caller: Caller | undefined,
): AsyncGenerator<Uint8Array> {
  const size = new ChunkSize(idRangeSize)
  try {
    for (let from: string | undefined; ; ) {
      let asked = 0
      const rows = await size.next((count, maxBytes) => {
        const statement = question.idRange(from, count)
        asked = count
        if (question.kind !== 'walk') return elsewhere.rows(connection, statement, caller, maxBytes)
        return connection.withByteLimit(maxBytes, () => queryRows(connection, statement))
      })
      const [[joined, last, passed]] = rows as [[Uint8Array | null, string, number]]
      if (joined) yield ownBytes(joined)
      if (passed < asked) return
      from = last
      await yieldToEventLoop(caller)
    }
  } catch (error) {
    throw toStoreError(error)
  }
}

/** The ids of the last item, and of the first where that is to be told. */
function edgeIds(lines: Buffer, line: RawLineFormat, { kind }: PageRange): readonly string[] {
  if (lines.length === 0) return []
  const last = idOfLastLine(lines, line)
  return kind === 'slice' ? [last] : [last, idOfFirstLine(lines, line)]
}

function bytesOf(joined: Uint8Array | null): Buffer {
  return joined ? Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength) : Buffer.alloc(0)
}

/** The identifiers that the relations of the first so many items hold, each once. */
function linkedIdsByRelation(
  relations: readonly OwnedRelation[],
  held: readonly (string | null)[],
  count: number,
) {
  return new Map(
    relations.map((relation, index) => {
      const byItem: (string | null | string[])[] = JSON.parse(held[index] ?? '[]')
      const ids = new Set<string>()
      for (const one of byItem.slice(0, count)) {
        if (typeof one === 'string') ids.add(one)
        else for (const id of one ?? []) ids.add(id)
      }
      return [relation, [...ids]]
    }),
  )
}
