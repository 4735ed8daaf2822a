import type { ModelDescription, OwnedRelation, ToOneField } from '../../store/public.ts'
import { strongComponents } from './strong-components.ts'

/** How the items of a model are written, so that no relation leads to an item that is not there. */
export interface ModelPlan {
  readonly model: ModelDescription
  /** Relations that are written once all items are there. */
  readonly deferred: readonly OwnedRelation[]
  /** Required relations whose targets have to be written before the item, or together with it. */
  readonly joined: readonly ToOneField[]
}

/**
 * Orders models so that those come first that others relate to. Where models relate to one another
 * in a circle, relations that may be empty are deferred. What remains are circles of required
 * relations.
 */
export function movePlan(models: readonly ModelDescription[]): readonly ModelPlan[] {
  const circles = strongComponents(models, (model) => targetsOf(model.ownedRelations))
  return circles.flatMap((circle) => {
    const inCircle = (field: OwnedRelation) => circle.includes(field.relatedModel)
    const requiredCircles = strongComponents(circle, (model) =>
      targetsOf(model.ownedRelations.filter(isRequired).filter(inCircle)),
    )
    return requiredCircles.flatMap((requiredCircle) =>
      requiredCircle.map((model) => ({
        model,
        deferred: model.ownedRelations.filter((field) => inCircle(field) && !isRequired(field)),
        joined: model.ownedRelations
          .filter(isRequired)
          .filter(({ relatedModel }) => requiredCircle.includes(relatedModel)),
      })),
    )
  })
}

function isRequired(field: OwnedRelation): field is ToOneField {
  return field.kind === 'toOne' && !field.isOptional
}

function targetsOf(relations: readonly OwnedRelation[]): readonly ModelDescription[] {
  return relations.map(({ relatedModel }) => relatedModel)
}
