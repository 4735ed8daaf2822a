import type { Guards } from '../context/guards.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelViews } from '../model/model-view.ts'
import type { ChangeFeed } from '../operation/changes/change-feed.ts'
import type { ImageVariants } from '../operation/resource/image-variants.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import type { CodeRunner } from '../operation/write-hooks/code-runner.ts'
import type { WriteHookServices } from '../operation/write-hooks/hook-observer.ts'
import type { PolicyLimits } from '../rule/router-limits.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import type { BeginObserver } from '../store/write-observer.ts'

/** What the operations of one router share. */
export interface OperationServices extends CodeRunner {
  /** As callers see it. */
  readonly store: Store
  /** For operations that write: they read whole items, and `shownItem` says what callers see. */
  readonly wholeStore: Store
  /** Undefined where no model has binary resources. */
  readonly blobs: SharedBlobs | undefined
  /** Undefined where no model has image variants. */
  readonly variants: ImageVariants | undefined
  /** Undefined where no changes are logged, or nobody may follow them. */
  readonly changeFeed: ChangeFeed | undefined
  /** What code of the service makes of items before they are sent. */
  readonly mappers: ReadonlyMap<ModelDescription, readonly Mapper[]>
  readonly views: ModelViews
  readonly guards: Guards
  readonly limits: PolicyLimits
  /** How long an action may take, in milliseconds. */
  readonly actionTimeoutMs: number
  /** How long one request waits for asynchronous schemas, in milliseconds. */
  readonly validationTimeoutMs: number
  /** Undefined where nothing runs around writes. */
  readonly writeHooks: WriteHookServices | undefined
  /** Take part in each transaction that writes. */
  readonly writeObservers: readonly BeginObserver<UnitOfWork>[]
}
