import { markLike } from '../context/code-error.ts'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import type { ModelDescription } from '../model/model-description.ts'

/**
 * Creates the items of several rows one after the other. Where a row has unique values of an
 * earlier one, its error says which row that is.
 */
export function namingEarlierRows<Row, Result>(
  model: ModelDescription,
  create: (row: Row) => Promise<Result>,
): (row: Row) => Promise<Result> {
  const created: CreatedRow[] = []
  const tables = new Map<string, RowTable>()
  let nextIndex = 0
  return async (row) => {
    const index = nextIndex++
    try {
      const result = await create(row)
      created.push({ row: row as RowValues, index })
      return result
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const [first, ...others] = error.problems.map((problem) => {
        const names = takenNames(model, problem)
        if (!names) return problem
        const table = tables.get(names.join()) ?? new RowTable(names)
        tables.set(names.join(), table)
        const earlier = table.indexOf(row as RowValues, created)
        if (earlier === undefined) return problem
        return { ...problem, detail: `${problem.detail} It is the one at index ${earlier}.` }
      }) as [Problem, ...Problem[]]
      throw markLike(new ApiError([first, ...others], error.headers, error.omittedCount), error)
    }
  }
}

type RowValues = Readonly<Record<string, unknown>>

interface CreatedRow {
  readonly row: RowValues
  readonly index: number
}

/** Finds rows by what they have in certain members: many rows may be refused. */
class RowTable {
  readonly #names: readonly string[]
  readonly #indices = new Map<string, number>()
  #count = 0

  constructor(names: readonly string[]) {
    this.#names = names
  }

  indexOf(row: RowValues, created: readonly CreatedRow[]): number | undefined {
    for (const { row: other, index } of created.slice(this.#count))
      this.#indices.set(this.#keyOf(other), index)
    this.#count = created.length
    return this.#indices.get(this.#keyOf(row))
  }

  #keyOf(row: RowValues): string {
    return JSON.stringify(this.#names.map((name) => row[name]))
  }
}

/** The members, by their names in code, whose values another item has; undefined if unknown. */
function takenNames(
  { fieldsByWireName, uniqueSets }: ModelDescription,
  { code, source, meta }: Problem,
): readonly string[] | undefined {
  if (code === 'already-exists') return ['id']
  if (code !== 'value-taken') return undefined
  const pointed = source && 'pointer' in source ? source.pointer?.split('/')[1] : undefined
  const wireNames = (meta?.fields ?? [pointed]) as readonly (string | undefined)[]
  const names = wireNames.flatMap((name) => fieldsByWireName.get(name ?? '')?.name ?? [])
  // An earlier item with equal values may be none that the set is about.
  const isPartial = uniqueSets.some(
    ({ fields, where }) => where.length > 0 && fields.every(({ name }) => names.includes(name)),
  )
  return names.length === 0 || isPartial ? undefined : names
}
