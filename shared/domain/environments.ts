/** Where a machine belongs; in a file of its own, because windows take it and zod stays out of them. */
export const environments = ['dev', 'staging', 'prod'] as const
