import { accessWords } from '../access/access-words.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isReadable, type ModelViews } from '../model/model-view.ts'
import { isRelation } from '../model/relation-kinds.ts'
import { type PolicyRule, pathView } from '../rule/rule.ts'
import { modelDecisions } from './rule-access.ts'

/** For whom a rule is, by the access rules of its model, as sentences for the document. */
export function ruleAccessWords(
  { guards, views }: { readonly guards: Guards; readonly views: ModelViews },
  rule: PolicyRule,
): string | undefined {
  const { model } = pathView(rule)
  const access = guards.accessOf(model)
  if (!access) return undefined
  const words = modelDecisions(access, rule).flatMap(
    (decision) => accessWords(decision, (path) => isShownPath(views, model, path)) ?? [],
  )
  if (words.length === 0) return undefined
  return `Allowed where ${[...new Set(words)].join('; and where ')}.`
}

/** A document must not name fields that do not exist for its readers. */
function isShownPath(views: ModelViews, start: ModelDescription, path: readonly string[]): boolean {
  let model = start
  for (const name of path) {
    const field = model.fieldsByName.get(name)
    if (!field) return name === 'id'
    if (!isReadable(views.of(model), field)) return false
    if (!isRelation(field)) return true
    model = field.relatedModel
  }
  return true
}
