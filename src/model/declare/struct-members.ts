import type { OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { BinaryResource } from '../stored-resource.ts'
import type { Flatten } from './flatten.ts'
import type { ResourceDefinition } from './resource.ts'

/** The members of a struct: schemas and binary resources. */
export type StructMembers = Readonly<Record<string, Schema | ResourceDefinition>>

export type MemberValue<M> = M extends ResourceDefinition
  ? BinaryResource | null
  : M extends Schema
    ? OutputOf<M>
    : never

export type OptionalMembers<M extends StructMembers> = {
  [K in keyof M]: undefined extends MemberValue<M[K]> ? K : never
}[keyof M]

/** The value of a struct in the code of the model. */
export type StructValue<M extends StructMembers> = Flatten<
  { [K in Exclude<keyof M, OptionalMembers<M>>]: MemberValue<M[K]> } & {
    [K in OptionalMembers<M>]?: Exclude<MemberValue<M[K]>, undefined> | undefined
  }
>
