import type { Middleware } from '../middleware/middleware.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { checkOwnRoute } from '../openapi/check-own-route.ts'
import { type OwnRoute, shapeOf } from '../openapi/own-routes.ts'
import type { Policy } from '../policy/policy.ts'
import type { Rule } from '../rule/rule.ts'
import { type AssembledRouter, assemble } from './assemble.ts'
import { checkModel, type Registration, type RouterSettings } from './registration.ts'

/** What is registered on a router before it handles requests. */
export class Registrations {
  readonly models: Registration[] = []
  /** Routes beside the rules, for the document. */
  readonly routes: OwnRoute[]
  readonly #policy: Policy
  readonly #settings: RouterSettings
  readonly #middleware: Middleware[] = []
  #assembled: AssembledRouter | undefined
  #isFrozen = false

  constructor(policy: Policy, settings: RouterSettings) {
    this.#policy = policy
    this.#settings = settings
    this.routes = settings.features.flatMap(({ routes = [] }) => routes)
  }

  get isFrozen(): boolean {
    return this.#isFrozen
  }

  /** @throws RegistrationError for what is no model, for one that is registered, and too late */
  addModel(model: AnyModel): Registration {
    this.beforeChange()
    checkModel(this.models, model)
    const registration: Registration = {
      model,
      middleware: [],
      mappers: [],
      operations: [],
      access: undefined,
    }
    this.models.push(registration)
    return registration
  }

  /** @throws RegistrationError too late */
  addMiddleware(middleware: Middleware): void {
    this.beforeChange()
    this.#middleware.push(middleware)
  }

  /** @throws RegistrationError for an invalid route, for a path that has one, and too late */
  addRoute(route: OwnRoute): void {
    this.beforeChange()
    checkOwnRoute(route)
    const { path } = route
    if (this.routes.some((other) => shapeOf(other.path) === shapeOf(path)))
      throw new RegistrationError(`describe('${path}') describes a path twice.`)
    this.routes.push(route)
  }

  /**
   * What was assembled before does not hold any more.
   * @throws RegistrationError once the router is frozen
   */
  readonly beforeChange = (): void => {
    if (this.#isFrozen)
      throw new RegistrationError(
        'The router is open: open(), load() or a first request opened it. Register everything before.',
      )
    this.#assembled = undefined
  }

  /** @throws RegistrationError for what does not fit together */
  assembled(): AssembledRouter {
    this.#assembled ??= assemble(this.#policy, this.#settings, this.#middleware, this.models)
    return this.#assembled
  }

  /** Every rule, for callers from whom no access rule keeps a field. */
  rules(): readonly Rule[] {
    return Object.freeze(this.assembled().variants.whole.endpoints.map(({ rule }) => rule))
  }

  freeze(): void {
    this.#isFrozen = true
  }
}
