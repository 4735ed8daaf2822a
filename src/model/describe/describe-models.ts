import { originOf } from '../added-models.ts'
import type { AnyModel } from '../declare/model.ts'
import type { Draft, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { addFields } from './add-fields.ts'
import { describeActions } from './describe-actions.ts'
import { describeAggregated } from './describe-aggregated.ts'
import { FieldDescriber } from './describe-fields.ts'
import { inboundOf, linkInverses } from './describe-relations.ts'
import { checkRollups } from './describe-rollup.ts'
import { describeSearched } from './describe-searched.ts'
import { describeSearchedTexts } from './describe-searched-texts.ts'
import { draftModel } from './draft-model.ts'
import { RegistrationFaults } from './registration-faults.ts'
import { noAdditions, type RouterAdditions } from './router-additions.ts'

/**
 * Checks the models and links them with one another. The descriptions are in the order of the
 * models.
 *
 * ```ts
 * const [book, author, genre] = describeModels([Book, Author, Genre])
 * ```
 *
 * @throws RegistrationError if a declaration is invalid, or two models contradict each other
 */
export function describeModels(models: readonly AnyModel[]): readonly ModelDescription[] {
  return describeRouterModels(models, new Map())
}

/**
 * The models as a router has them.
 * @param additions what the router adds to single models
 * @throws RegistrationError if declarations are invalid, or models contradict each other: all of
 * these faults, a line for each
 */
export function describeRouterModels(
  models: readonly AnyModel[],
  additions: ReadonlyMap<AnyModel, RouterAdditions>,
): readonly ModelDescription[] {
  const faults = new RegistrationFaults()
  const drafts = new Map<string, Draft<ModelDescription>>()
  for (const model of models) {
    const draft = draftModel(model, faults)
    faults.attempt(() => refuseNameClash(draft, [...drafts.values()]))
    drafts.set(draft.name, draft)
  }
  const describer = new FieldDescriber(drafts, additions, faults)
  for (const draft of drafts.values())
    addFields(draft, describer, additions.get(draft.model) ?? noAdditions, faults)
  // What follows would not find the fields that are wrong.
  faults.throwAll()
  for (const draft of drafts.values()) {
    faults.attempt(() => linkInverses(draft))
    faults.attempt(() => {
      draft.aggregated = describeAggregated(draft)
    })
    faults.attempt(() => {
      draft.searched = describeSearched(draft)
    })
    faults.attempt(() => {
      draft.actions = Object.freeze(describeActions(draft))
    })
  }
  faults.throwAll()
  for (const draft of drafts.values()) faults.attempt(() => checkRollups(draft))
  faults.throwAll()
  const searchedTexts = describeSearchedTexts([...drafts.values()])
  for (const draft of drafts.values()) {
    draft.inboundRelations = Object.freeze(inboundOf(draft, [...drafts.values()]))
    draft.searchedTexts = searchedTexts.get(draft) ?? []
  }
  return [...drafts.values()].map((draft) => Object.freeze(draft))
}

function refuseNameClash(draft: ModelDescription, others: readonly ModelDescription[]): void {
  for (const other of others) {
    const origin = originOf(draft.model) ?? originOf(other.model)
    if (other.name === draft.name && origin !== undefined)
      throw new RegistrationError(
        `Two models have the name '${draft.name}', and ${origin} adds one of them. Give the other one another name.`,
      )
    if (other.name === draft.name)
      throw new RegistrationError(
        `Two models have the name '${draft.name}'. Register each model once, with a unique name.`,
      )
    if (other.plural === draft.plural) {
      throw new RegistrationError(
        `The models '${other.name}' and '${draft.name}' have the same plural '${draft.plural}'. Set another with { plural: '…' }.`,
      )
    }
  }
}
