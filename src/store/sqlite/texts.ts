import { setImmediate } from 'node:timers/promises'
import type { ModelDescription } from '../../model/description.ts'
import type { Position, QueryPlan } from '../../query/query-plan.ts'
import { small } from '../sql/bounded.ts'
import type { StoreTexts, TextPage } from '../store.ts'
import type { Connection } from './connection.ts'
import type { ListQuestion, Queries } from './queries.ts'
import { scalarOf } from './rows.ts'
import type { Stretches } from './stretches.ts'

interface Joined {
  readonly texts: Uint8Array
  readonly ids: readonly string[]
  readonly count: number
}

/** Lets SQLite join the texts of many items into one value: most of what a list costs is to hand over its rows. */
export function texts(
  connection: Connection,
  queries: Queries,
  isLarge: (model: ModelDescription) => boolean,
  stretches: Stretches,
): StoreTexts {
  const joined = (question: ListQuestion, strolled: boolean): Joined => {
    const { sql, parameters } = question.joined(strolled)
    const [texts, ids, count] = connection.prepared(sql).get(parameters) as [Uint8Array | null, string | null, number]
    return { texts: texts ?? nothing, ids: ids === null ? [] : ids.split('\n'), count }
  }

  const positionOf = (question: ListQuestion, { sort }: QueryPlan, id: string | undefined): Position | undefined => {
    if (id === undefined || sort.length === 0) return id === undefined ? undefined : [id]
    const { sql, parameters } = question.keys(id)
    return [...connection.prepared(sql).get(parameters)!.map(scalarOf), id]
  }

  /** Undefined where a stroll does not tell. */
  const hasMore = (
    model: ModelDescription,
    plan: QueryPlan,
    position: Position,
    strolled: boolean,
  ): boolean | undefined => {
    const question = queries.list(model, { ...plan, window: { kind: 'after', position, limit: 1 } })
    if (strolled && !question.stroll.isPossible && question.kind !== 'walk') return undefined
    const { sql, parameters } = strolled && question.kind !== 'walk' ? question.strolled(false) : question.ids()
    const isThere = connection.prepared(sql).get(parameters) !== undefined
    return isThere || !strolled ? isThere : undefined
  }

  return {
    page(model, plan): TextPage | undefined {
      const { window } = plan
      if (window.kind === 'before' || window.kind === 'between' || window.limit > small || window.limit === 0)
        return undefined
      const question = queries.list(model, plan)
      const strolled = question.kind !== 'walk' && isLarge(model)
      if (strolled && !(question.stroll.isPossible && question.stroll.wasEnough)) return undefined
      const found = joined(question, strolled)
      // An id that holds a line feed itself is read the other way.
      if (found.ids.length !== found.count) return undefined
      const isFull = found.count === window.limit
      if (strolled && !isFull) return undefined
      const first = positionOf(question, plan, found.ids[0])
      const last = positionOf(question, plan, found.ids.at(-1))
      const more = isFull && last ? hasMore(model, plan, last, strolled) : false
      return more === undefined ? undefined : { texts: found.texts, first, last, more }
    },

    list(model, plan) {
      if (!stretches.areWhole(plan) || queries.list(model, plan).kind === 'gather') return undefined
      return (async function* () {
        for (const part of stretches.of(model, plan)) {
          const { texts, count } = joined(queries.list(model, part), false)
          if (count > 0) yield texts
          await setImmediate()
        }
      })()
    },
  }
}

const nothing = new Uint8Array()
