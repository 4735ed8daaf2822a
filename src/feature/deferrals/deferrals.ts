import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import type { Deferral } from '../../pipeline/deferral.ts'
import type { Contents } from '../../rule/contents.ts'
import type { ModelRule, PolicyRouterRule, PolicyRule } from '../../rule/rule.ts'
import type { BeginObserver } from '../../store/write-observer.ts'
import type { Feature, RulePart } from '../feature.ts'
import { acceptedResponse } from './accepted-response.ts'

/** What carries out requests after their responses. */
export interface DeferralProvider {
  readonly deferral: Deferral
  /** What it can refuse with, in place of 202. */
  readonly errors: readonly ErrorCode[]
  /** What the store keeps for it, which no client sees. */
  readonly storedModels: readonly ModelDescription[]
  observers(models: readonly ModelDescription[]): readonly BeginObserver<UnitOfWork>[]
  /** The body of 202. */
  contents(): ReturnType<Contents>
}

/** Lets an extension of a router carry out requests after their responses. */
export class Deferrals implements Feature {
  #provider: DeferralProvider | undefined

  /** @returns false if there is one already */
  provide(provider: DeferralProvider): boolean {
    if (this.#provider) return false
    this.#provider = provider
    return true
  }

  storedModels(): readonly ModelDescription[] {
    return this.#provider?.storedModels ?? []
  }

  observers(models: readonly ModelDescription[]): readonly BeginObserver<UnitOfWork>[] {
    return this.#provider?.observers(models) ?? []
  }

  deferral(rule: ModelRule): Deferral | undefined {
    return isDeferrable(rule) ? this.#provider?.deferral : undefined
  }

  completes(rule: PolicyRule | PolicyRouterRule): RulePart | undefined {
    const provider = this.#provider
    if (!provider || !isDeferrable(rule)) return undefined
    const { errors } = provider
    return {
      declaration: Object.freeze({ errors }),
      members: { isDeferrable: true },
      otherResponses: [acceptedResponse(rule.response.serializer, () => provider.contents())],
    }
  }
}

/** Bodies with several items, and actions that say so. */
function isDeferrable(
  rule: PolicyRule | PolicyRouterRule,
): rule is Extract<PolicyRule, { readonly operation: ModelRule['operation'] }> {
  if (rule.operation === 'Batch' || rule.operation === 'GetFeed') return false
  const { request, target } = rule
  return (
    (request.kind === 'item' && request.lines !== undefined) ||
    (target.kind === 'action' && target.action.isDeferrable)
  )
}
