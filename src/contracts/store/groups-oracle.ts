import type {
  AggregateFunction,
  DatePart,
  FieldPath,
  GroupKey,
  GroupPlan,
  ItemGroup,
  Scalar,
  StoredValues,
} from '../../store/public.ts'
import { sale, sumOf } from './grouped-sales.ts'
import type { World } from './harness.ts'
import { isTrue } from './oracle.ts'

type Item = Readonly<Record<string, unknown>>
type Result = ItemGroup['results'][number]

/** A group of the right answer. Its sum is in the units of `sumOf`. */
export type ExpectedGroup = readonly [
  keys: readonly Scalar[],
  count: number,
  results: readonly (readonly unknown[])[],
]

/**
 * The groups of sales, computed from the definition of plans in the simplest way. It shares no code
 * with any store, so that both would have to make the same mistake.
 */
export function expectedGroups(world: World, plan: GroupPlan): readonly ExpectedGroup[] {
  const items = itemsOf(world, 'sale').filter((item) => isTrue(world, sale, item, plan.condition))
  const rows = items.flatMap((item) =>
    plan.by
      .reduce<readonly (readonly Scalar[])[]>(
        (lists, key) =>
          lists.flatMap((list) => keysOf(world, item, key).map((value) => [...list, value])),
        [[]],
      )
      .map((keys) => ({ keys, item })),
  )
  const groups = new Map<string, typeof rows>(plan.by.length === 0 ? [['[]', []]] : [])
  for (const row of rows) {
    const name = JSON.stringify(row.keys)
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  const byKeys = (one: ExpectedGroup, other: ExpectedGroup) =>
    plan.by
      .map(({ path }, index) => compare(path, one[0][index]!, other[0][index]!))
      .find((order) => order !== 0) ?? 0
  return [...groups.values()]
    .map((group): ExpectedGroup => {
      const results = plan.aggregates.map(({ function: name, path }) =>
        resultOf(
          name,
          path,
          group.map(({ item }) => valueAt(world, item, path)),
        ),
      )
      return [group[0]?.keys ?? [], group.length, results]
    })
    .sort((one, other) =>
      plan.order === 'keys' ? byKeys(one, other) : other[1] - one[1] || byKeys(one, other),
    )
    .slice(0, plan.limit)
}

/** What a store returned, in the same form. */
export function comparableGroups(groups: readonly ItemGroup[]): readonly ExpectedGroup[] {
  return groups.map(({ keys, count, results }) => [keys, count, results.map(comparableResult)])
}

function comparableResult(result: Result): readonly unknown[] {
  switch (result.function) {
    case 'sum':
      return ['sum', sumOf([result.sum]), result.count]
    case 'countDistinct':
      return ['countDistinct', result.count]
    default:
      return [result.function, result.value]
  }
}

function resultOf(
  name: AggregateFunction,
  path: FieldPath,
  all: readonly Scalar[],
): readonly unknown[] {
  const values = all.filter((value) => value !== null)
  if (name === 'sum') return [name, sumOf(values as readonly (string | number)[]), values.length]
  if (name === 'countDistinct') return [name, new Set(values).size]
  const sorted = values.toSorted((one, other) => compare(path, one, other))
  return [name, sorted.at(name === 'min' ? 0 : -1) ?? null]
}

/** The values of a key, each in its canonical form. */
function keysOf(world: World, item: StoredValues, key: GroupKey): readonly Scalar[] {
  const { path, part, timeZone = 'UTC' } = key
  const [name = ''] = path.names
  if (name === 'tags' || name === 'labels') {
    const members = isShown(world, item, path) ? ((item as Item)[name] ?? []) : []
    const distinct = [...new Set(members as readonly Scalar[])]
    return distinct.length === 0 ? [null] : distinct
  }
  const value = valueAt(world, item, path)
  return [part && typeof value === 'string' ? partOf(value, part, timeZone) : value]
}

function valueAt(world: World, item: StoredValues, path: FieldPath): Scalar {
  if (!isShown(world, item, path)) return null
  const [name = '', member] = path.names
  const value = (item as Item)[name] ?? null
  if (member === undefined) return canonical(name, value as Scalar)
  const owner = name === 'buyer' ? itemsOf(world, 'buyer').find(({ id }) => id === value) : value
  return ((owner as Item | null | undefined)?.[member] ?? null) as Scalar
}

function isShown(world: World, item: StoredValues, { guards = [] }: FieldPath): boolean {
  return guards.every(({ condition }) => isTrue(world, sale, item, condition))
}

function canonical(name: string, value: Scalar): Scalar {
  if (typeof value !== 'string') return value
  if (name === 'total') return value.includes('.') ? value.replace(/\.?0+$/, '') : value
  if (name !== 'at') return value
  return new Date(value).toISOString().replace(/\.?0*Z$/, 'Z')
}

function partOf(value: string, part: DatePart, timeZone: string): string {
  const isDay = value.length === 10
  const day = isDay ? value : new Date(value).toLocaleDateString('sv', { timeZone })
  const [year = '', month = ''] = day.split('-')
  switch (part) {
    case 'year':
      return year
    case 'quarter':
      return `${year}-Q${Math.floor((Number(month) + 2) / 3)}`
    case 'month':
      return `${year}-${month}`
    case 'day':
      return day
    case 'week':
      return weekOf(new Date(day))
  }
}

/** The week has the year of its Thursday, and the first week has the first Thursday. */
function weekOf(day: Date): string {
  const thursday = new Date(day)
  while (thursday.getUTCDay() !== 4)
    thursday.setUTCDate(
      thursday.getUTCDate() + (day.getUTCDay() > 4 || day.getUTCDay() === 0 ? -1 : 1),
    )
  const year = thursday.getUTCFullYear()
  let week = 0
  for (const each = new Date(thursday); each.getUTCFullYear() === year; week++)
    each.setUTCDate(each.getUTCDate() - 7)
  return `${year}-W${String(week).padStart(2, '0')}`
}

function compare({ names }: FieldPath, one: Scalar, other: Scalar): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  if (names[0] === 'total') return sumOf([String(one)]) < sumOf([String(other)]) ? -1 : 1
  if (typeof one !== 'string' || typeof other !== 'string') return one < other ? -1 : 1
  // Instants of one second differ by their fraction.
  if (names[0] === 'at' && one.length > 10 && other.length > 10)
    return Date.parse(one) < Date.parse(other) ? -1 : 1
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function itemsOf(world: World, name: string): readonly StoredValues[] {
  return world.flatMap(([model, items]) => (model.name === name ? items : []))
}
