import {
  declarationsOf,
  declarationsOfHooks,
  readDeclarations,
  relatedHooks,
  updateDeclarations,
} from '../middleware/hooks.ts'
import { alwaysRelatedModels, possiblyRelatedModels } from '../pipeline/related-models.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { Declaration, RuleDeclaration } from '../rule/declaration.ts'
import { type PolicyRule, pathView, relationTargetOf } from '../rule/rule.ts'
import { writtenInverses } from '../rule/written-inverses.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { ownMiddleware, relationQuantity } from './rule-hooks.ts'

/** The declarations of all middleware that runs for a rule, or may run for related models. */
export function declarationsAround(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: PolicyRule,
  middleware: MiddlewareByModel,
): readonly RuleDeclaration[] {
  const { operation, view } = rule
  const relationTarget = relationTargetOf(rule)
  const own = pathView(rule).model
  const unconditional = new Set<RuleDeclaration>([
    ...declarationsOf(
      operation,
      relationTarget ? middleware.of(own) : ownMiddleware(rule, middleware),
      own,
    ),
    ...[...alwaysRelatedModels(services, rule)].flatMap((model) => {
      const isPrimaryData = relationTarget && model === view.model
      return isPrimaryData
        ? declarationsOfHooks(
            middleware.of(model),
            relatedHooks(operation, relationQuantity(relationTarget)),
          )
        : readDeclarations(middleware.of(model))
    }),
  ])
  const conditional = new Set([
    ...[...possiblyRelatedModels(services, rule)].flatMap((model) =>
      readDeclarations(middleware.of(model)),
    ),
    // To change an inverse relation is to update the related items.
    ...writtenInverses(rule).flatMap(({ relatedModel }) =>
      updateDeclarations(middleware.of(relatedModel)),
    ),
  ])
  if (unconditional.size === 0 && conditional.size === 0) return []
  const models = relationTarget ? [own, relationTarget.relation.relatedModel] : [own]
  const declaredByPath = new Set(
    models.flatMap((model) => middleware.of(model).map((one) => one.declares)),
  )
  // Query parameters are known at the addresses of their model only.
  const withOwnParameters = (declaration: RuleDeclaration): RuleDeclaration =>
    declaration.parameters && !declaredByPath.has(declaration)
      ? withoutParameters(declaration)
      : declaration
  return [
    ...[...unconditional].map(withOwnParameters),
    ...[...conditional]
      .filter((declaration) => !unconditional.has(declaration))
      .map((declaration) => toConditional(withOwnParameters(declaration))),
  ]
}

function withoutParameters({ parameters: _, ...others }: RuleDeclaration): RuleDeclaration {
  return others
}

/** Without headers: only some responses of the rule have them. */
export function toConditional({
  security,
  errors,
  responses,
  parameters,
}: Declaration): RuleDeclaration {
  return {
    ...(security && { security }),
    ...(errors && { errors }),
    ...(responses && { responses }),
    ...(parameters && { parameters }),
    isConditional: true,
  }
}
