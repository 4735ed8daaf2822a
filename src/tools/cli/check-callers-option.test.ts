import { describe, expect, it } from 'vitest'
import { readCallers } from './check-callers-option.ts'

describe('--as', () => {
  it('names callers with bearer tokens, headers, or nothing', () => {
    expect(readCallers(['admin=abc,owner=X-Key: v=1,anonymous'])).toEqual([
      { name: 'admin', headers: { authorization: 'Bearer abc' } },
      { name: 'owner', headers: { 'x-key': 'v=1' } },
      { name: 'anonymous', headers: {} },
    ])
  })

  it('can be repeated, and takes commas within a value', () => {
    expect(readCallers(['a=X-Roles: one, two', 'b=t.o-k_e~n+/='])).toEqual([
      { name: 'a', headers: { 'x-roles': 'one, two' } },
      { name: 'b', headers: { authorization: 'Bearer t.o-k_e~n+/=' } },
    ])
  })

  it.each([
    ['admin=,anonymous', "--as has no credential for 'admin'; expected 'admin=token'."],
    ['admin,anonymous', "--as has no credential for 'admin'; expected 'admin=token'."],
    [
      '=secret,anonymous',
      "--as must be 'name=token', 'name=Header: value' or 'anonymous'; entry 1",
    ],
    ['a=secret,a=secret2', "--as has two callers with the name 'a'."],
    ['a=secret', "expected at least two, for example 'a,anonymous'."],
  ])('refuses %j without showing a credential', (text, message) => {
    expect(() => readCallers([text])).toThrow(message)
    expect(() => readCallers([text])).not.toThrow(/secret/)
  })
})
