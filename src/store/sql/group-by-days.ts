import type { AggregateTerm, GroupPlan } from '../../query/group-plan.ts'
import { countSql, type Dialect } from './dialect.ts'
import type { GroupValue } from './group-values.ts'
import { losslessSql } from './lossless-sql.ts'

/** An aggregate of the rows of a day, and the one of these that is that of their group. */
interface PartialAggregate {
  readonly ofDay: string
  ofGroup(partial: string): string
}

/** Is the function of a group that of the results of its parts, whatever its values are? */
export function isOfParts({ function: name }: AggregateTerm): boolean {
  return name === 'min' || name === 'max'
}

/**
 * Groups of a part of a date: rows are grouped by the numbers of their days first, because it takes
 * less time to sort numbers, and the part is computed once for each day.
 * @param rows where the values have their names
 */
export function groupsOfDays(
  dialect: Dialect,
  plan: GroupPlan,
  {
    keys: [key],
    values,
  }: { readonly keys: readonly GroupValue[]; readonly values: readonly GroupValue[] },
  rows: string,
): string {
  const partials: readonly PartialAggregate[] = [
    { ofDay: 'count(*)', ofGroup: (count) => `sum(${count})` },
    ...plan.aggregates.flatMap((term, index) => partialsOf(dialect, term, values[index]!)),
  ]
  const { sql: day, written } = key!
  const ofDays = `select ${day} as k, ${partials.map(({ ofDay }, index) => `${ofDay} as p${index}`).join(', ')} from ${rows} group by ${day}`
  const parts = `select ${written!('d.k')} as k, ${partials.map((_, index) => `d.p${index}`).join(', ')} from (${ofDays}) d${dialect.keepSubquery}`
  const columns = partials.map(({ ofGroup }, index) => ofGroup(`g.p${index}`))
  const keyOrder = dialect.order('g.k', 'asc', true)
  const order = plan.order === 'keys' ? keyOrder : `${columns[0]} desc, ${keyOrder}`
  return `select ${[dialect.textAsJson('g.k'), ...columns].join(', ')} from (${parts}) g group by g.k order by ${order} limit ${plan.limit}`
}

function partialsOf(
  dialect: Dialect,
  { function: name }: AggregateTerm,
  { sql: value, isNullable, native, type }: GroupValue,
): readonly PartialAggregate[] {
  if (name === 'sum')
    return [
      { ofDay: countSql({ value, isNullable }), ofGroup: (count) => `sum(${count})` },
      { ofDay: `sum(${value})`, ofGroup: (sum) => dialect.quickSum!.asText(`sum(${sum})`) },
    ]
  return [
    {
      ofDay: `${name}(${value})`,
      ofGroup: (extreme) => losslessSql(dialect, native, `${name}(${extreme})`, type),
    },
  ]
}
