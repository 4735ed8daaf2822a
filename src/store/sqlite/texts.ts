import { ownBytes } from '../../cache/owned-bytes.ts'
import type { OwnedRelation } from '../../model/description.ts'
import type { Position, QueryPlan, Window } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import { small } from '../sql/bounded.ts'
import type { Caller, ItemLine, StoreTexts } from '../store.ts'
import { firstId, lastId, withoutLast } from '../text-lines.ts'
import { ChunkSize, maxChunkBytes } from './chunk-size.ts'
import { type Connection, TooManyBytes } from './connection.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { ListQuestion } from './list-question.ts'
import type { Queries } from './queries.ts'
import { scalarOf } from './rows.ts'
import { rowsOf } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'
import { isWhole, stretch } from './stretches.ts'
import { type WindowStatements, windowReader } from './window-reader.ts'

/** Lets SQLite join the texts of many items into one value: most of what a list costs is to hand over its rows. */
export function texts(connection: Connection, queries: Queries, elsewhere: Elsewhere): StoreTexts {
  const windows = windowReader(connection, elsewhere)

  /** Undefined where the item is gone already: another process writes too. */
  const positionOf = (question: ListQuestion, { sort }: QueryPlan, id: string): Position | undefined => {
    if (sort.length === 0) return [id]
    const { sql, parameters } = question.keys(id)
    const keys = connection.prepared(sql).get(parameters)
    return keys && [...keys.map(scalarOf), id]
  }

  return {
    async page(model, plan, linked, line, caller) {
      const { window } = plan
      if (window.kind === 'before' || window.limit > small) return undefined
      try {
        const further = { ...window, limit: window.limit + 1 }
        const question = queries.list(model, { ...plan, window: further })
        const statements: WindowStatements = {
          whole: () => question.joined(false, linked, line),
          strolled: () => question.joined(true, linked, line),
          count: ([row]) => row![1] as number,
        }
        const [[joined, count, ...held]] = (await windows.rows(
          model,
          question,
          further,
          statements,
          caller,
          maxChunkBytes,
        )) as [[Uint8Array | null, number, ...(string | null)[]]]
        const more = count > window.limit
        const lines = more ? withoutLast(bytesOf(joined)) : bytesOf(joined)
        const positions = endsOf(lines, line, window).map((id) => positionOf(question, plan, id))
        if (positions.includes(undefined)) return undefined
        const [last, first] = positions
        return { lines, first, last, more, linked: linkedBy(linked, held, window.limit) }
      } catch (error) {
        if (error instanceof TooManyBytes) return undefined
        throw toStoreError(error)
      }
    },

    list(model, plan, caller) {
      const question = isWhole(plan) ? queries.list(model, plan) : undefined
      if (!question || question.kind === 'gather') return undefined
      return joinedList(connection, question, elsewhere, caller)
    },
  }
}

async function* joinedList(
  connection: Connection,
  question: ListQuestion,
  elsewhere: Elsewhere,
  caller: Caller | undefined,
): AsyncGenerator<Uint8Array> {
  const size = new ChunkSize(stretch)
  try {
    for (let from: string | undefined; ; ) {
      let asked = 0
      const rows = await size.next((count, maxBytes) => {
        const statement = question.stretch(from, count)
        asked = count
        if (question.kind !== 'walk') return elsewhere.rows(connection, statement, caller, maxBytes)
        return connection.upTo(maxBytes, () => rowsOf(connection, statement))
      })
      const [[joined, last, passed]] = rows as [[Uint8Array | null, string, number]]
      if (joined) yield ownBytes(joined)
      if (passed < asked) return
      from = last
      await fairTurn(caller)
    }
  } catch (error) {
    throw toStoreError(error)
  }
}

/** The ids of the last item, and of the first where that is to be told. */
function endsOf(lines: Buffer, line: ItemLine, { kind }: Window): readonly string[] {
  if (lines.length === 0) return []
  const last = lastId(lines, line)
  return kind === 'slice' ? [last] : [last, firstId(lines, line)]
}

function bytesOf(joined: Uint8Array | null): Buffer {
  return joined ? Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength) : Buffer.alloc(0)
}

/** The identifiers that the relations of the first so many items hold, each once. */
function linkedBy(relations: readonly OwnedRelation[], held: readonly (string | null)[], count: number) {
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
