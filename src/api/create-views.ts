import type { AccessDecision } from '../access/access-decision.ts'
import { dependsOnCaller, type HiddenByModel } from '../access/field-variants.ts'
import type { ModelAccess } from '../access/model-access.ts'
import { guardedChanges, guardsOf, outcomeGuardsOf, writeGuardsOf } from '../middleware/hooks.ts'
import { narrowsNothing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createModelViews, type ModelViews } from '../model/model-view.ts'
import type { RouterAccess } from './access-by-model.ts'
import { createModelView } from './create-model-view.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import type { Registration, RouterSettings } from './registration.ts'

/** What access rules say about the fields of models. */
interface ViewRules {
  readonly access: RouterAccess
  /** What does not exist for the callers. */
  readonly hidden: HiddenByModel
}

/** The models as the router shows them. */
export function createViews(
  registrations: ReadonlyMap<ModelDescription, Registration>,
  middleware: MiddlewareByModel,
  { basePath, requireMatch, features, capabilities }: RouterSettings,
  { access, hidden }: ViewRules,
): ModelViews {
  const followed = new Set(
    features.flatMap(({ followedModels }) => followedModels?.([...registrations.keys()]) ?? []),
  )
  const views = [...registrations].map(([model, { mappers, operations }]) =>
    createModelView(
      model,
      mappers.map(({ options }) => options),
      operations,
      {
        basePath,
        isGuarded: !narrowsNothing(guardsOf(middleware.of(model))),
        hasWriteGuards:
          !narrowsNothing(writeGuardsOf(middleware.of(model))) ||
          middleware.of(model).some(({ query = {} }) => hasHooks(query)),
        guardedChanges: guardedChanges(middleware.of(model)),
        hasOutcomeGuards: (['created', 'changed'] as const).some(
          (outcome) => !narrowsNothing(outcomeGuardsOf(middleware.of(model), outcome)),
        ),
        requiresIfMatch: requireMatch || model.requiresIfMatch,
        capabilities,
        hasChangeFeed: followed.has(model),
        maskedNames: hiddenNames(access.accesses.get(model), ({ kind }) => kind !== 'always'),
        absentNames: hiddenNames(access.accesses.get(model), dependsOnCaller),
        isForService: false,
      },
      hidden.get(model),
    ),
  )
  const [documentPath] = features.flatMap((feature) => feature.documentPath ?? [])
  return createModelViews(views, documentPath)
}

/** The wire names of the fields that their rule for reads hides. */
function hiddenNames(
  access: ModelAccess | undefined,
  hides: (decision: AccessDecision) => boolean,
): ReadonlySet<string> {
  const hidden = (access?.fields ?? []).filter(({ read }) => hides(read))
  return new Set(hidden.map(({ field }) => field.wireName))
}

function hasHooks(query: object): boolean {
  return Object.keys(query).length > 0
}
