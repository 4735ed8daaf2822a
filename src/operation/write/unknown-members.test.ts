import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { unknownMembers } from './unknown-members.ts'

const text: JsonSchema = { type: 'string' }

describe('The paths of unknown members', () => {
  it('lead through recursive schemas, by the root or by a definition', () => {
    const root: JsonSchema = {
      type: 'object',
      properties: { name: text, parts: { type: 'array', items: { $ref: '#' } } },
    }
    const value = { name: 'a', parts: [{ name: 'b' }, { parts: [{ more: 1 }] }] }
    expect(unknownMembers(root, value, 9)).toEqual([['parts', 1, 'parts', 0, 'more']])
    const defined: JsonSchema = {
      $ref: '#/$defs/node',
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(unknownMembers(defined, { next: { next: { last: true } } }, 9)).toEqual([
      ['next', 'next', 'last'],
    ])
  })

  it('are found quickly in recursive alternatives', () => {
    const either: JsonSchema = {
      anyOf: [
        { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } },
        { type: 'object', properties: { left: { $ref: '#' }, other: { $ref: '#' } } },
      ],
    }
    let value: object = { stray: 1 }
    for (let depth = 0; depth < 60; depth++) value = { left: value }
    expect(unknownMembers(either, value, 9)).toEqual([
      [...Array.from({ length: 60 }, () => 'left'), 'stray'],
    ])
  })

  it('are those that no alternative names, in time linear in the number of members', () => {
    const either: JsonSchema = {
      anyOf: [
        { type: 'object', properties: { left: text, inner: { properties: { a: text } } } },
        { type: 'object', properties: { right: text, inner: { properties: { b: text } } } },
      ],
    }
    const strays = Array.from({ length: 100_000 }, (_, index): [string, number] => [
      `stray${index}`,
      index,
    ])
    const value = {
      left: 'l',
      right: 'r',
      inner: { a: 'a', b: 'b', c: 'c' },
      ...Object.fromEntries(strays),
    }
    const startedAt = performance.now()
    const paths = unknownMembers(either, value, 1_000_000)
    // A comparison of each member with each took minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(paths).toHaveLength(100_001)
    expect(paths[0]).toEqual(['inner', 'c'])
    expect(paths.at(-1)).toEqual(['stray99999'])
    expect(unknownMembers(either, value, 3)).toEqual([['inner', 'c'], ['stray0'], ['stray1']])
  })
})
