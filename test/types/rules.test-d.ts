import { describe, expectTypeOf, it } from 'vitest'
import type { InputByOperation } from '../../src/operation/operation-input.ts'
import { implementations } from '../../src/pipeline/implementations.ts'
import type { ModelOperation, OperationName } from '../../src/rule/operations.ts'
import type { ModelRule, Rule, RuleOf } from '../../src/rule/rule.ts'
import type {
  ActionTarget,
  ItemTarget,
  LinkageTarget,
  ListTarget,
  RelatedTarget,
  ResourceTarget,
} from '../../src/rule/target.ts'

describe('a rule', () => {
  it('is a closed union, which the name of the operation narrows to its target and its body', () => {
    expectTypeOf<Rule['operation']>().toEqualTypeOf<OperationName>()
    const narrowed = (rule: ModelRule) => {
      if (rule.operation === 'SetResource')
        return [rule.target.path, rule.request.maxBytes] as const
      // @ts-expect-error only rules of resources have a path to one
      return rule.target.path
    }
    expectTypeOf(narrowed).toBeFunction()
  })

  it('has the members of its target, and no others', () => {
    expectTypeOf<RuleOf<'GetList'>['target']>().toEqualTypeOf<ListTarget>()
    expectTypeOf<RuleOf<'DeleteItem'>['target']>().toEqualTypeOf<ItemTarget>()
    expectTypeOf<RuleOf<'RelatedGet'>['target']>().toEqualTypeOf<RelatedTarget>()
    expectTypeOf<RuleOf<'RelationshipPatch'>['target']>().toEqualTypeOf<LinkageTarget>()
    expectTypeOf<RuleOf<'GetResource'>['target']>().toEqualTypeOf<ResourceTarget>()
    expectTypeOf<RuleOf<'ItemApiOperation'>['target']>().toEqualTypeOf<ActionTarget>()
    expectTypeOf<RuleOf<'GetItem'>['request']['kind']>().toEqualTypeOf<'none'>()
    expectTypeOf<RuleOf<'CreateItem'>['request']['kind']>().toEqualTypeOf<'item'>()
  })

  it('leads to an implementation that takes the input of its operation', () => {
    expectTypeOf<keyof typeof implementations>().toEqualTypeOf<ModelOperation>()
    expectTypeOf(implementations.SetResource.run)
      .parameter(0)
      .toEqualTypeOf<InputByOperation['SetResource']>()
    expectTypeOf<InputByOperation['GetList']>().not.toHaveProperty('payload')
    expectTypeOf<InputByOperation['GetItem']>().not.toHaveProperty('blobs')
  })
})
