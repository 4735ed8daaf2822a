import fc from 'fast-check'
import { filterParameter } from './requests.ts'
import { type ModelName, modelNames } from './state.ts'
import { aggregate, dated, isMany, member } from './summarized-members.ts'

/** A member, or a part of a date; with few exceptions at most one list. */
function keys(name: ModelName): fc.Arbitrary<readonly string[]> {
  const key = fc
    .tuple(member(name), fc.constantFrom('year', 'month', 'week', 'day'), fc.nat(2))
    .map(([path, part, dice]) => (dated.test(path) && dice > 0 ? `${part}(${path})` : path))
  return fc
    .tuple(fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), fc.nat(20))
    .map(([all, dice]) =>
      dice === 0
        ? all
        : all.filter(
            (path, index) =>
              !isMany(name, path) || all.findIndex((other) => isMany(name, other)) === index,
          ),
    )
}

/** Filters and sorts of groups compare what rules hide from the caller, if nothing guards it. */
function queryOf(name: ModelName): fc.Arbitrary<string> {
  const names = fc.tuple(
    keys(name),
    fc.uniqueArray(aggregate(name), { minLength: 0, maxLength: 3 }),
  )
  return names.chain(([by, functions]) => {
    const column = fc.constantFrom(...by, ...functions)
    const filter = fc
      .tuple(
        column,
        fc.constantFrom('gte', 'lt', 'ne', 'isNull'),
        fc.constantFrom('0', '1', '2', 'true', 'a', '2026'),
      )
      .map(([each, operator, value]) =>
        operator === 'isNull'
          ? `filterGroups[${each}][isNull]=false`
          : `filterGroups[${each}][${operator}]=${value}`,
      )
    const sort = fc
      .tuple(fc.uniqueArray(column, { minLength: 1, maxLength: 2 }), fc.constantFrom('', '-'))
      .map(([all, sign]) => `sort=${all.map((each) => sign + each).join(',')}`)
    const optional = (part: fc.Arbitrary<string>) => fc.option(part, { nil: '', freq: 1 })
    return fc
      .tuple(
        fc.constant(`groupBy=${by.join(',')}`),
        fc.constant(functions.length === 0 ? '' : `withAggregates=${functions.join(',')}`),
        optional(filterParameter(name)),
        optional(filter),
        optional(sort),
        optional(fc.constantFrom('page[size]=2', 'page[offset]=1', 'withCount=true')),
        optional(fc.constantFrom('timeZone=Europe/Berlin', 'timeZone=Asia/Tokyo')),
      )
      .map((parts) => parts.filter((each) => each !== '').join('&'))
  })
}

/** The query strings of groups. */
export const groupsQuery: Readonly<Record<ModelName, fc.Arbitrary<string>>> = Object.fromEntries(
  modelNames.map((name) => [name, queryOf(name)]),
) as Record<ModelName, fc.Arbitrary<string>>
