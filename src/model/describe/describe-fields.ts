import type { AnyModel } from '../declare/model.ts'
import type { FieldDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeField } from './describe-field.ts'
import type { RegistrationFaults } from './registration-faults.ts'
import { noAdditions, type RouterAdditions, withAdditions } from './router-additions.ts'

type Described = FieldDescription | 'under description' | undefined

/** Describes the fields of models, of which rollups need those of others: each field once. */
export class FieldDescriber {
  readonly #models: ReadonlyMap<string, ModelDescription>
  readonly #additions: ReadonlyMap<AnyModel, RouterAdditions>
  readonly #faults: RegistrationFaults
  readonly #described = new Map<ModelDescription, Map<string, Described>>()

  constructor(
    models: ReadonlyMap<string, ModelDescription>,
    additions: ReadonlyMap<AnyModel, RouterAdditions>,
    faults: RegistrationFaults,
  ) {
    this.#models = models
    this.#additions = additions
    this.#faults = faults
  }

  /** In the order of declaration, without those whose declarations are wrong. */
  fieldsOf(model: ModelDescription): readonly FieldDescription[] {
    return Object.keys(model.model.fields).flatMap((name) => this.fieldOf(model, name) ?? [])
  }

  /**
   * A field that the model declares; undefined if its declaration is wrong.
   * @throws RegistrationError for a rollup that is made of itself
   */
  fieldOf(model: ModelDescription, name: string): FieldDescription | undefined {
    const described = this.#describedOf(model)
    const known = described.get(name)
    if (known === 'under description')
      throw new RegistrationError(
        `the field '${name}' of the model '${model.name}' is a rollup of rollups that are made of it. Remove one of them.`,
      )
    if (described.has(name)) return known
    described.set(name, 'under description')
    const field = this.#faults.attempt(() =>
      withAdditions(
        describeField(model, name, model.model.fields[name]!, {
          models: this.#models,
          fieldOf: (...member) => this.fieldOf(...member),
        }),
        this.#additions.get(model.model) ?? noAdditions,
      ),
    )
    described.set(name, field)
    return field
  }

  #describedOf(model: ModelDescription): Map<string, Described> {
    const described = this.#described.get(model) ?? new Map<string, Described>()
    this.#described.set(model, described)
    return described
  }
}
