import type { AccessRules } from '../access/access-rules.ts'
import type { Feature, ObservedWrites } from '../feature/feature.ts'
import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ShownCapabilities } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import type { CodeRunner } from '../operation/write-hooks/code-runner.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { RollupObserverOptions } from '../store/rollups/rollup-observers.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import type { AccessSettings } from './access-settings.ts'
import type { RegisteredOperation } from './create-model-view.ts'
import type { DocumentCaches } from './document-caches.ts'

/** Everything that is registered for one model. */
export interface Registration {
  readonly model: AnyModel
  readonly middleware: Middleware[]
  readonly mappers: { readonly mapper: Mapper; readonly options: MapperOptions }[]
  readonly operations: RegisteredOperation[]
  /** Undefined where none are declared. */
  access: AccessRules | undefined
}

/** The services that depend on the options of the router only. */
export type RouterSettings = Omit<
  RouterServices,
  'wholeStore' | 'views' | 'guards' | 'mappers' | 'writeHooks' | 'writeObservers' | keyof CodeRunner
> & {
  /** What options add, the innermost first. */
  readonly features: readonly Feature[]
  /** What the storage and features do around the writes of these models, for all callers. */
  readonly observersOf: (
    models: readonly ModelDescription[],
    writes: ObservedWrites,
    isHidden: RollupObserverOptions['isHidden'],
  ) => readonly BeginObserver<UnitOfWork>[]
  /** The models that the store is opened with: also those that no client sees. */
  readonly storedModels: (models: readonly ModelDescription[]) => readonly ModelDescription[]
  readonly requireMatch: boolean
  /** The caches of a further variant of the router. */
  readonly newDocumentCaches: () => DocumentCaches
  readonly access: AccessSettings
  readonly capabilities: ShownCapabilities
}

/** @throws RegistrationError if it is not a model, or already registered */
export function checkModel(registrations: readonly Registration[], model: AnyModel): void {
  if (typeof model !== 'function' || typeof model.modelName !== 'string')
    throw new RegistrationError(
      'prepare() expects a model: the result of model(), or a class that extends it.',
    )
  if (registrations.some((registration) => registration.model === model)) {
    throw new RegistrationError(
      `The model '${model.modelName}' is prepared twice. Reuse the object that prepare() returned.`,
    )
  }
}
