/// <summary>A package of NuGet's registry that the generated unions import; none of what it has is used.</summary>
namespace JsonSubTypes
{
}
