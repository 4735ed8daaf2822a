import { describe, expect, it } from 'vitest'
import { anyone, nobody, signedIn } from './access-condition.ts'
import { decisionOf } from './access-decision.ts'
import { accessSymbol } from './access-symbols.ts'
import type { CallerSymbol, ItemSymbol } from './symbol-types.ts'

const item: ItemSymbol<{ owner: string; tags: string[] }> = accessSymbol('item')
const caller: CallerSymbol<{ id: string; roles: string[] }> = accessSymbol('caller')

describe('What a rule depends on', () => {
  it.each([
    ['always', anyone],
    ['always', nobody.not()],
    ['always', anyone.or(item.owner.equal(caller.id))],
    ['never', nobody],
    ['never', signedIn.and(nobody)],
    ['caller', signedIn],
    ['caller', caller.roles.contains('admin')],
    ['caller', caller.roles.contains('admin').or(nobody)],
    ['item', item.owner.equal(caller.id)],
    ['item', signedIn.and(item.tags.contains('open'))],
    ['item', caller.roles.contains(item.owner)],
  ] as const)('is decided at registration: %s', (kind, condition) => {
    expect(decisionOf(condition.expression).kind).toBe(kind)
  })
})
