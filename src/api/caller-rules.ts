import { lazy } from '../cache/lazy.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import { type ModelRule, pathView, type Rule } from '../rule/rule.ts'
import type { CallerVisibility, VisibilityOf } from './caller-visibility.ts'
import { isClosedTo, requiredFieldDecisions, ruleDecisions } from './rule-access.ts'

/** The rules of a router, as a document for one caller shows them. */
export interface CallerRules {
  /** The same for callers to whom the same rules are closed, and who see the same. */
  readonly key: string
  /** Does the caller miss some that other callers have? */
  readonly isPartial: boolean
  rules(): readonly Rule[]
}

/** The rules of a router, of which some are closed to a caller. */
export interface DocumentRules {
  readonly modelRules: readonly ModelRule[]
  routerRules(allowed: readonly ModelRule[]): readonly Rule[]
}

/**
 * Counts the rules that the access rules close to a caller as refused, so that they are no
 * operations of its document.
 * @param rulesWithout the same rules, described without the members of these models, for callers
 * who see this
 */
export function callerRules(
  services: Pick<RouterServices, 'guards' | 'clock'>,
  rules: readonly ModelRule[],
  visibilityOf: VisibilityOf,
  rulesWithout: (
    closedModels: ReadonlySet<ModelDescription>,
    visibility: CallerVisibility,
  ) => DocumentRules,
): (caller: unknown) => CallerRules {
  const decided = lazy(() =>
    rules.flatMap((rule, index) =>
      rule.isAlwaysRefused
        ? []
        : [
            {
              index,
              all: [...ruleDecisions(services, rule), requiredFieldDecisions(services, rule)],
            },
          ],
    ),
  )
  return (caller) => {
    const context = { caller, now: services.clock() }
    const refused = decided().filter(({ all }) => isClosedTo(context, all))
    const closed = withLoneCapabilities(rules, new Set(refused.map(({ index }) => index)))
    const visibility = visibilityOf(context)
    return {
      key: `${closed.join()};${visibility.key}`,
      isPartial: closed.length > 0,
      rules: () => {
        const indices = new Set(closed)
        const { modelRules, routerRules } = rulesWithout(closedModels(rules, indices), visibility)
        const own = modelRules.map((rule, index) =>
          indices.has(index) ? Object.freeze({ ...rule, isAlwaysRefused: true }) : rule,
        )
        return [...own, ...routerRules(own)]
      },
    }
  }
}

/** What a caller may do with a model is of no use where that is nothing. */
function withLoneCapabilities(
  rules: readonly ModelRule[],
  closed: ReadonlySet<number>,
): readonly number[] {
  const models = openModels(rules, closed)
  return rules.flatMap(({ target, view }, index) =>
    closed.has(index) || (target.kind === 'capabilities' && !models.has(view.model)) ? [index] : [],
  )
}

/** The models of which the caller can neither read an item nor change one. */
function closedModels(
  rules: readonly ModelRule[],
  closed: ReadonlySet<number>,
): ReadonlySet<ModelDescription> {
  const open = openModels(rules, closed)
  const models = rules.filter((_, index) => closed.has(index)).map((rule) => pathView(rule).model)
  return new Set(models.filter((model) => !open.has(model)))
}

function openModels(
  rules: readonly ModelRule[],
  closed: ReadonlySet<number>,
): ReadonlySet<ModelDescription> {
  const open = rules.filter(
    ({ target, isAlwaysRefused }, index) =>
      target.kind !== 'capabilities' && !isAlwaysRefused && !closed.has(index),
  )
  return new Set(open.map((rule) => pathView(rule).model))
}
