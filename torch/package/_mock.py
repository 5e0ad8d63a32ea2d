"""The replacement for a mocked module; the exporter copies this file into the package."""

__all__ = ["MockedObject"]


class MockedObject:
    """Stands for any object of a mocked module. It can be imported and named, but not used."""

    def __init__(self, name):
        self.__dict__["_mocked_name"] = name

    def _refuse(self, how):
        raise NotImplementedError(
            f"{self._mocked_name} was mocked out when the package was made, but {how}; intern or extern its "
            "module instead"
        )

    def __call__(self, *args, **kwargs):
        self._refuse("it is called")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"its attribute {name} is read")

    def __setattr__(self, name, value):
        self._refuse(f"its attribute {name} is set")

    def __getitem__(self, index):
        self._refuse("it is indexed")

    def __mro_entries__(self, bases):
        return (type(self._mocked_name, (), {}),)

    def __repr__(self):
        return f"<MockedObject {self._mocked_name}>"
