import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../schema/json-schema.ts'
import { unknownMembers } from './unknown-members.ts'

const text: JsonSchema = { type: 'string' }

describe('The ways to members that a schema does not name', () => {
  it('lead through what refers to itself, by the root or by a definition', () => {
    const root: JsonSchema = {
      type: 'object',
      properties: { name: text, parts: { type: 'array', items: { $ref: '#' } } },
    }
    const value = { name: 'a', parts: [{ name: 'b' }, { parts: [{ more: 1 }] }] }
    expect(unknownMembers(root, value)).toEqual([['parts', 1, 'parts', 0, 'more']])
    const defined: JsonSchema = {
      $ref: '#/$defs/node',
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(unknownMembers(defined, { next: { next: { last: true } } })).toEqual([['next', 'next', 'last']])
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
    expect(unknownMembers(either, value)).toEqual([[...Array.from({ length: 60 }, () => 'left'), 'stray']])
  })
})
