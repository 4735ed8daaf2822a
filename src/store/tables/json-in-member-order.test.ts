import { describe, expect, it } from 'vitest'
import type { ValueType } from '../../model/value-type.ts'
import { jsonInMemberOrder } from './json-in-member-order.ts'

const text: ValueType = { kind: 'text', format: undefined }
const member = (type: ValueType) => ({ type, isRequired: false })
const size: ValueType = {
  kind: 'struct',
  members: new Map([
    ['width', member(text)],
    ['depth', member(text)],
  ]),
}

const ordered = (type: ValueType, json: string) => jsonInMemberOrder(type)(JSON.parse(json))

describe('the order of members', () => {
  it('is that of the model, also inside of arrays and structs', () => {
    const type: ValueType = {
      kind: 'struct',
      members: new Map([
        ['sizes', member({ kind: 'array', items: size })],
        ['first', member(size)],
      ]),
    }
    const json = '{"first":{"depth":"1","width":"2"},"sizes":[{"depth":"3","width":"4"},null,"x"]}'
    expect(ordered(type, json)).toBe(
      '{"sizes":[{"width":"4","depth":"3"},null,"x"],"first":{"width":"2","depth":"1"}}',
    )
  })

  it('has members last that the model does not have, whatever they are called', () => {
    const json = '{"__proto__":{"a":1},"constructor":2,"depth":"1"}'
    expect(ordered(size, json)).toBe('{"depth":"1","__proto__":{"a":1},"constructor":2}')
  })

  it('leaves values of other kinds as they are', () => {
    for (const json of ['null', '[1]', '"text"', '3'])
      for (const type of [text, size]) expect(ordered(type, json)).toBe(json)
  })
})
