import type { AnyModel } from './declare/model.ts'

const origins = new WeakMap<AnyModel, string>()

/**
 * Notes what adds a model to routers, so that errors about it name what the service has called.
 * @param origin such as `jobs()`
 */
export function addedBy<Model extends AnyModel>(origin: string, model: Model): Model {
  origins.set(model, origin)
  return model
}

/** Undefined for a model of the service. */
export function originOf(model: AnyModel): string | undefined {
  return origins.get(model)
}
