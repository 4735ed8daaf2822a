import type { AnyModel, IQuery, ItemContext, Items, Router } from 'resourcery'
import { z } from 'zod'
import { valuesOf } from './data.ts'
import type { Models } from './models.ts'
import { type ModelName, modelNames } from './state.ts'

/** What code of a service looks for in the name of its caller. */
export type Search = z.infer<typeof Search>
export const Search = z.object({
  model: z.enum(modelNames),
  place: z.enum(['query', 'items', 'transaction', 'open transaction']),
  read: z.enum(['all', 'count', 'first', 'inner count']),
  path: z.string(),
  operator: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])),
  sort: z.array(z.object({ path: z.string(), direction: z.enum(['asc', 'desc']) })),
})

/** The operators of queries in code, by those of requests. */
const operators: Readonly<Record<string, string>> = {
  eq: 'equal',
  ne: 'notEqual',
  in: 'anyOf',
  nin: 'noneOf',
  gt: 'greaterThan',
  gte: 'greaterThanOrEqual',
  lt: 'lessThan',
  lte: 'lessThanOrEqual',
  iequals: 'equalIgnoringCase',
  icontains: 'containsIgnoringCase',
  istartsWith: 'startsWithIgnoringCase',
  any: 'containsAny',
  all: 'containsAll',
}

/** An action that passes on what its caller looks for, and what it finds. */
export async function search<Caller>(
  router: Router<Caller>,
  models: Models,
  context: ItemContext<object, Search, Caller>,
): Promise<string> {
  const { model, place } = context.input
  try {
    return JSON.stringify(await found(router, models[model], context, place)) ?? 'nothing'
  } catch (error) {
    return `${error}`
  }
}

async function found<Caller>(
  router: Router<Caller>,
  model: AnyModel,
  context: ItemContext<object, Search, Caller>,
  place: Search['place'],
): Promise<unknown> {
  const { input } = context
  switch (place) {
    case 'query':
      return foundByQuery(narrowed(context.query(model), input), input)
    case 'items':
      return foundByItems(router.items(model, { as: context }), input)
    case 'transaction':
      return router.transaction((items) => foundByItems(items(model), input), { as: context })
    case 'open transaction':
      await context.items(model).count()
      return foundByItems(router.items(model, { as: context }), input)
  }
}

async function foundByQuery(query: IQuery, { model, read }: Search): Promise<unknown> {
  if (read === 'count' || read === 'inner count') return query.size()
  const items: unknown[] = []
  for await (const item of query.exec()) items.push(shown(model, item as object))
  return items.slice(0, read === 'first' ? 1 : undefined)
}

async function foundByItems(items: Items<AnyModel>, input: Search): Promise<unknown> {
  const narrow = (query: IQuery) => narrowed(query, input)
  switch (input.read) {
    case 'all':
      return (await items.all(narrow)).map((item) => shown(input.model, item))
    case 'first':
      return shown(input.model, await items.first(narrow))
    case 'count':
      return items.count(narrow)
    case 'inner count': {
      let inner: Promise<number> | undefined
      await items.count((query) => {
        inner = narrowed(query, input).size()
        inner.catch(() => undefined)
        return query
      })
      return inner
    }
  }
}

function narrowed(query: IQuery, { path, operator, values, sort }: Search): IQuery {
  const field = query.where(path) as unknown as Record<string, (operand?: unknown) => IQuery>
  const takesMany = ['in', 'nin', 'any', 'all'].includes(operator)
  const compared =
    operator === 'isNull'
      ? field.isNull!()
      : field[operators[operator] ?? operator]!(takesMany ? values : values[0])
  return sort.reduce((sorted, key) => sorted.sort(key.path, key.direction), compared)
}

/** The members that rules can hide. Code also gets hidden fields, and ids of hidden items. */
function shown(model: ModelName, item: object | undefined): unknown {
  if (!item) return undefined
  const names = ['id', ...Object.keys(valuesOf[model]).filter((name) => name !== 'internal')]
  return Object.fromEntries(
    names.map((name) => [name, (item as Record<string, unknown>)[name] ?? null]),
  )
}
