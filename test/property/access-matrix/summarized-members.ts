import fc from 'fast-check'
import { valuesOf } from './data.ts'
import { inverses, wireName } from './requests.ts'
import { type ModelName, relations } from './state.ts'

export function relatedLists(name: ModelName): readonly (readonly [string, ModelName])[] {
  const own = Object.entries(relations[name]).filter(([, { isMany }]) => isMany)
  return [
    ...own.map(([member, { target }]) => [member, target] as const),
    ...Object.entries(inverses[name]),
  ]
}

/** Members that a model declares, those behind its relations, and some that it cannot declare. */
function summarized(name: ModelName, depth = 1): readonly string[] {
  const own = Object.entries(valuesOf[name]).flatMap(([member, values]) => {
    const struct = values.at(-1)
    return typeof struct === 'object' && !Array.isArray(struct)
      ? Object.keys(struct as object).map((inner) => `${member}.${inner}`)
      : [wireName(member)]
  })
  const links = Object.entries(relations[name]).flatMap(([member, { target, isMany }]) => [
    member,
    ...(isMany ? [] : [`${member}.id`]),
    ...(isMany || depth === 0
      ? []
      : summarized(target, depth - 1).map((inner) => `${member}.${inner}`)),
  ])
  return [...own, ...links, ...Object.keys(inverses[name])]
}

export function isMany(name: ModelName, path: string): boolean {
  return /(?:^|\.)tags$/.test(path) || relatedLists(name).some(([member]) => member === path)
}

const odd = ['id', 'hash', 'secret', 'internal', 'tenant', 'zone', 'skore', 'photo']

const functions = ['sum', 'avg', 'min', 'max', 'countDistinct'] as const

const numeric =
  /(?:^|\.)(?:grade|budget|score|fee|floor|rank|stars|code|rating|best|commentCount|hostedCount|hostedCodes)$/
export const dated = /(?:^|\.)(?:joined|startsAt)$/

export function member(name: ModelName): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...summarized(name)) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
}

/** Mostly a function that takes the member: a refused one refuses the whole request. */
export function aggregate(name: ModelName): fc.Arbitrary<string> {
  return fc
    .tuple(member(name), fc.constantFrom(...functions), fc.nat(30))
    .map(([path, by, dice]) => {
      if (dice === 0) return `${by}(${path})`
      if (dice === 1 || isMany(name, path)) return 'count'
      const isFitting = numeric.test(path) || (dated.test(path) && ['min', 'max'].includes(by))
      return `${isFitting ? by : 'countDistinct'}(${path})`
    })
}
