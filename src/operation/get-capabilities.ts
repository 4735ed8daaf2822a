import { modelCapabilities } from '../access/capabilities.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { CapabilitiesInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'

export const getCapabilitiesErrors: readonly ErrorCode[] = []

/** GetCapabilities: what the caller may do with the model, by the access rules. */
export async function getCapabilities({
  view,
  guards,
  context,
  serializer,
}: CapabilitiesInput): Promise<OperationResult> {
  const capabilities = modelCapabilities(guards.accessOf(view.model), view, context)
  const text = serializer.writeOutput(JSON.stringify(capabilities))
  return { kind: 'output', text, etag: undefined }
}
