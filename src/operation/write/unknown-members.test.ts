import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { unknownMembers } from './unknown-members.ts'

const text: JsonSchema = { type: 'string' }

describe('The ways to members that a schema does not name', () => {
  it('lead through what refers to itself, by the root or by a definition', () => {
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

  it('are found in no time where alternatives refer to themselves', () => {
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

  it('are those that no alternative names, of as many members as a body can hold, in time that grows with their number', () => {
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
    const begun = performance.now()
    const ways = unknownMembers(either, value, 1_000_000)
    // To compare each with each took minutes.
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(ways).toHaveLength(100_001)
    expect(ways[0]).toEqual(['inner', 'c'])
    expect(ways.at(-1)).toEqual(['stray99999'])
    expect(unknownMembers(either, value, 3)).toEqual([['inner', 'c'], ['stray0'], ['stray1']])
  })
})
